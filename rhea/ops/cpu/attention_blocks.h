// The block sizes of attention, the same for every instruction set, and the arithmetic on them.
#pragma once

#include <cstdint>

namespace rhea::ops::cpu {

inline constexpr int kPanel = 16;  // columns of a packed panel
inline constexpr int kBlock = 48;  // queries (and keys, in backward) of a block: a multiple of every tile's rows and of kPanel
inline constexpr int kChunk = 96;  // keys that forward looks at before it rescales

constexpr std::int64_t padded(std::int64_t n, std::int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// The first key that query t may see. Rows of padding behave like the last token.
inline std::int64_t first_key(const std::int32_t* document_starts, std::int64_t t, std::int64_t seq) {
  return document_starts == nullptr ? 0 : document_starts[t < seq ? t : seq - 1];
}

}  // namespace rhea::ops::cpu
