// Products of bf16 matrices with fp32 sums, where the processor multiplies bf16 itself (AVX512-BF16, AMX): blocks of oneDNN's
// micro-kernel, which libtorch exports, on factors that we pack. MKL's bf16 product knows no processor but Intel's, and
// at::mm rounds its sums to bf16, which gradients must not be.
#pragma once

#include <ATen/core/Tensor.h>

namespace rhea::ops::cpu {

// Whether bfloat16_gemm() works here.
bool has_bfloat16_gemm();

// A factor b [k, n] in the order in which the instruction reads it: panels of columns, in each pairs of rows interleaved.
struct PackedBFloat16 {
  at::Tensor data;
  std::int64_t k = 0, n = 0;
};

// b [k, n], bf16 or fp32 (which is rounded), with rows or columns contiguous; k is even.
PackedBFloat16 pack_bfloat16(const at::Tensor& b);

// c [m, n] = a b, or += with `accumulate`. a [m, k] bf16 has rows or columns contiguous; c has contiguous rows and is fp32,
// or without `accumulate` also bf16, rounded once. The sums do not depend on the number of threads.
void bfloat16_gemm(const at::Tensor& a, const PackedBFloat16& b, bool accumulate, const at::Tensor& c);

}  // namespace rhea::ops::cpu
