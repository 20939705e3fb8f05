// Matrices of float or bf16 as pairs of bf16, in the order in which the processor's bf16 product reads its second factor. A pair
// is the entries of one column in rows k and k + 1, the first in the lower half. No libtorch here, as in rowwise_kernels.h.
#pragma once

#include "rhea/ops/cpu/element.h"

#include <cstdint>

namespace rhea::ops::cpu {

// pairs [n] from two rows of n entries.
void pack_pairs_of_rows(const float* first, const float* second, std::int64_t n, std::uint32_t* pairs);
void pack_pairs_of_rows(const BFloat16* first, const BFloat16* second, std::int64_t n, std::uint32_t* pairs);

// pairs [k / 2, n] from n columns of k entries; a column's entries lie together, columns `stride` apart.
void pack_pairs_of_columns(const float* from, std::int64_t stride, std::int64_t k, std::int64_t n, std::uint32_t* pairs);
void pack_pairs_of_columns(const BFloat16* from, std::int64_t stride, std::int64_t k, std::int64_t n, std::uint32_t* pairs);

}  // namespace rhea::ops::cpu
