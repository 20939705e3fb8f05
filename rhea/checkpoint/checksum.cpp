#include "rhea/checkpoint/checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace rhea {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little endian and are read as they are");

constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87, kPrime2 = 0xc2b2ae3d27d4eb4f, kPrime3 = 0x165667b19e3779f9,
                        kPrime4 = 0x85ebca77c2b2ae63, kPrime5 = 0x27d4eb2f165667c5;

template <class T>
std::uint64_t load(const unsigned char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

std::uint64_t mix(std::uint64_t lane, std::uint64_t input) {
  return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

}  // namespace

void Checksum::consume(const unsigned char* block) {
  for (std::size_t lane = 0; lane < 4; ++lane) {
    lanes_[lane] = mix(lanes_[lane], load<std::uint64_t>(block + 8 * lane));
  }
}

void Checksum::update(const void* data, std::size_t bytes) {
  const auto* next = static_cast<const unsigned char*>(data);
  const std::size_t held = total_ % rest_.size();
  total_ += bytes;
  if (held > 0) {
    const std::size_t taken = std::min(bytes, rest_.size() - held);
    std::memcpy(rest_.data() + held, next, taken);
    if (held + taken < rest_.size()) {
      return;
    }
    consume(rest_.data());
    next += taken;
    bytes -= taken;
  }
  for (; bytes >= rest_.size(); next += rest_.size(), bytes -= rest_.size()) {
    consume(next);
  }
  if (bytes > 0) {
    std::memcpy(rest_.data(), next, bytes);
  }
}

std::uint64_t Checksum::digest() const {
  std::uint64_t hash = kPrime5;
  if (total_ >= rest_.size()) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) {
      hash = (hash ^ mix(0, lane)) * kPrime1 + kPrime4;
    }
  }
  hash += total_;
  const unsigned char* next = rest_.data();
  const unsigned char* const end = next + total_ % rest_.size();
  for (; end - next >= 8; next += 8) {
    hash = std::rotl(hash ^ mix(0, load<std::uint64_t>(next)), 27) * kPrime1 + kPrime4;
  }
  for (; end - next >= 4; next += 4) {
    hash = std::rotl(hash ^ (load<std::uint32_t>(next) * kPrime1), 23) * kPrime2 + kPrime3;
  }
  for (; next < end; ++next) {
    hash = std::rotl(hash ^ (*next * kPrime5), 11) * kPrime1;
  }
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

std::string to_hex(std::uint64_t checksum) {
  return fmt::format("{:016x}", checksum);
}

}  // namespace rhea
