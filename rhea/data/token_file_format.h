// The trailer of the token cache's files, token_file.h.
#pragma once

#include "rhea/core/random.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rhea {

static_assert(std::endian::native == std::endian::little, "token files are mapped as they are");

struct TokenFileTrailer {
  std::array<char, 8> magic = {'R', 'H', 'E', 'A', 'T', 'O', 'K', 'S'};
  std::uint32_t version = 1;
  std::uint32_t bytes_per_token = 0;
  std::uint64_t num_tokens = 0;
  std::uint64_t num_documents = 0;
  std::uint64_t key = 0;
  std::uint64_t bounds_hash = 0;
  std::uint64_t zero = 0;
  std::uint64_t hash = 0;

  std::uint64_t own_hash() const { return hash_name({reinterpret_cast<const char*>(this), offsetof(TokenFileTrailer, hash)}); }
};
static_assert(sizeof(TokenFileTrailer) == 64);

inline std::uint64_t padded_to_8(std::uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

}  // namespace rhea
