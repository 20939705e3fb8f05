// Matrix products in the precision rules of this room: the factors may be bf16 or fp16, sums are always fp32.
//
// A CPU without bf16 instructions runs at::mm in bf16 some fifty times slower than in fp32. There the factors are widened,
// multiplied in fp32, and the result is rounded: the same sums as hardware with bf16 products and fp32 accumulators makes.
#pragma once

#include <ATen/core/Tensor.h>

namespace rhea::ops {

// True where reduced-precision factors are to be multiplied as they are: on accelerators, and on CPUs with AVX512-BF16 or
// AMX for bf16. Decided once a process.
bool multiplies_natively(const at::Tensor& factor);

// The tensor as a factor of a product: widened to fp32 unless multiplies_natively(tensor). Gives fp32 and fp64 as they are.
at::Tensor as_factor(const at::Tensor& tensor);

// a [m, k] times b [k, n], both as as_factor() gave them, rounded once to `dtype`. Any strides.
at::Tensor multiply(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype);

}  // namespace rhea::ops
