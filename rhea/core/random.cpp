#include "rhea/core/random.h"

#include <cmath>
#include <numbers>

namespace rhea {
namespace {

// (0, 1): never 0, so that log() is finite.
double open_unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32) | low;
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

std::array<double, 2> normal_pair(std::uint64_t key, std::uint64_t counter, std::uint64_t subsequence) {
  const PhiloxBlock r = philox(key, counter, subsequence);
  const double radius = std::sqrt(-2.0 * std::log(open_unit(r[0], r[1])));
  const double angle = 2.0 * std::numbers::pi * open_unit(r[2], r[3]);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace

PhiloxBlock philox(std::uint64_t key, std::uint64_t counter, std::uint64_t subsequence) {
  constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  PhiloxBlock x = {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                   static_cast<std::uint32_t>(subsequence), static_cast<std::uint32_t>(subsequence >> 32)};
  auto key0 = static_cast<std::uint32_t>(key), key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = static_cast<std::uint64_t>(kMultiplier0) * x[0];
    const std::uint64_t product1 = static_cast<std::uint64_t>(kMultiplier1) * x[2];
    x = {static_cast<std::uint32_t>(product1 >> 32) ^ x[1] ^ key0, static_cast<std::uint32_t>(product1),
         static_cast<std::uint32_t>(product0 >> 32) ^ x[3] ^ key1, static_cast<std::uint32_t>(product0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return x;
}

std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  // splitmix64's finalizer: FNV alone mixes its high bits badly for short names.
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

std::uint64_t stream_key(std::uint64_t seed, std::string_view name) {
  const PhiloxBlock mixed = philox(seed, hash_name(name));
  return (static_cast<std::uint64_t>(mixed[0]) << 32) | mixed[1];
}

void fill_normal(std::span<float> out, std::uint64_t key, std::uint64_t first) {
  for (std::size_t j = 0; j < out.size();) {
    const std::uint64_t element = first + j;
    const auto pair = normal_pair(key, element / 2, 0);
    out[j++] = static_cast<float>(pair[element % 2]);
    if (element % 2 == 0 && j < out.size()) {
      out[j++] = static_cast<float>(pair[1]);
    }
  }
}

void fill_truncated_normal(std::span<float> out, std::uint64_t key, std::uint64_t first, double bound) {
  for (std::size_t j = 0; j < out.size(); ++j) {
    const std::uint64_t element = first + j;
    double x = normal_pair(key, element / 2, 0)[element % 2];
    for (std::uint64_t attempt = 1; std::abs(x) > bound; ++attempt) {
      x = normal_pair(key, element, attempt)[0];
    }
    out[j] = static_cast<float>(x);
  }
}

double uniform(std::uint64_t key, std::uint64_t i) {
  const PhiloxBlock r = philox(key, i);
  const std::uint64_t bits = (static_cast<std::uint64_t>(r[0]) << 32) | r[1];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

std::uint64_t uniform_below(std::uint64_t key, std::uint64_t i, std::uint64_t n) {
  return static_cast<std::uint64_t>(uniform(key, i) * static_cast<double>(n));
}

}  // namespace rhea
