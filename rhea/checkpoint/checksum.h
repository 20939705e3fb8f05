// XXH64 (Yann Collet, "xxHash fast digest algorithm"), seed 0: 64 bits that tell a damaged file, at memory speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rhea {

class Checksum {
 public:
  // Takes the next bytes, in pieces of any size.
  void update(const void* data, std::size_t bytes);
  void update(std::string_view bytes) { update(bytes.data(), bytes.size()); }

  // Of all bytes so far.
  std::uint64_t digest() const;

 private:
  void consume(const unsigned char* block);  // 32 bytes

  std::array<std::uint64_t, 4> lanes_ = {0x60ea27eeadc0b5d6, 0xc2b2ae3d27d4eb4f, 0, 0x61c8864e7a143579};
  std::array<unsigned char, 32> rest_{};
  std::uint64_t total_ = 0;
};

// 16 hexadecimal digits, as index.json writes it.
std::string to_hex(std::uint64_t checksum);

}  // namespace rhea
