// Counter-based random numbers: element i of a stream is a pure function of (key, i), so any rank, thread or device
// draws the same values for the elements it holds, in any order.
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace rhea {

using PhiloxBlock = std::array<std::uint32_t, 4>;

// The 128 random bits at position `counter` of the stream `key`.
PhiloxBlock philox(std::uint64_t key, std::uint64_t counter, std::uint64_t subsequence = 0);

// 64-bit hash of a name (FNV-1a with a finalizer), stable across machines and versions: it is part of the format of a run.
std::uint64_t hash_name(std::string_view name);

// The key of the stream that belongs to `name` under `seed`.
std::uint64_t stream_key(std::uint64_t seed, std::string_view name);

// out[j] = element first + j of the standard normal stream `key` (Box-Muller), drawn in double and rounded to float.
void fill_normal(std::span<float> out, std::uint64_t key, std::uint64_t first);

// As fill_normal, each element redrawn (from its own sub-stream) until |x| <= bound. bound >= 1.
void fill_truncated_normal(std::span<float> out, std::uint64_t key, std::uint64_t first, double bound);

// Uniform in [0, 1) with 53 random bits: element i of the stream.
double uniform(std::uint64_t key, std::uint64_t i);

// A number in [0, n), unbiased enough for n < 2^53: floor(uniform * n).
std::uint64_t uniform_below(std::uint64_t key, std::uint64_t i, std::uint64_t n);

}  // namespace rhea
