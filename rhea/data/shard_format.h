// The head of a shard of tokens as llm.c writes them (dev/data/data_common.py): int32[256], of which three are used.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace rhea {

static_assert(std::endian::native == std::endian::little, "shards are mapped as they are");

struct ShardHeader {
  std::int32_t magic = 0, version = 0, num_tokens = 0;
  std::array<std::int32_t, 253> unused{};
};
static_assert(sizeof(ShardHeader) == 1024);

struct ShardKind {
  std::int32_t magic, version;
  std::int32_t bytes_per_token;
};
inline constexpr ShardKind kNarrowShard = {20240520, 1, 2};
inline constexpr ShardKind kWideShard = {20240801, 7, 4};

inline constexpr std::int64_t kMostShardTokens = std::numeric_limits<std::int32_t>::max();

}  // namespace rhea
