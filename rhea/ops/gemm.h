// Matrix products in the precision rules of this room: factors in any floating dtype, sums always fp32 (fp64 for fp64).
//
// bf16 on a CPU goes to our own blocks (cpu/bfloat16_gemm.h) where the processor multiplies bf16, else to MKL's bf16 product
// with fp32 result, which libtorch carries on x86: as fast as fp32, and with the very sums that fp32 would give. at::mm in
// bf16 is seven to fifty times slower where the processor has no bf16 arithmetic. What neither does (fp16, other processors)
// is widened to fp32.
#pragma once

#include "rhea/ops/cpu/bfloat16_gemm.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace rhea::ops {

// A second factor [k, n], rounded to `dtype` and made ready for all the products with it.
class PreparedFactor {
 public:
  PreparedFactor(const at::Tensor& b, at::ScalarType dtype);

  const std::optional<cpu::PackedBFloat16>& packed() const { return packed_; }  // else multiplied as it is:
  const at::Tensor& tensor() const { return b_; }

 private:
  std::optional<cpu::PackedBFloat16> packed_;
  at::Tensor b_;
};

// a [m, k] times b [k, n], with any strides, rounded once to `dtype`. b is rounded to a's dtype first, where that is another.
at::Tensor multiply(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype);
at::Tensor multiply(const at::Tensor& a, const PreparedFactor& b, at::ScalarType dtype);

// sums [m, n] += a b; sums are fp32 (fp64 for fp64 factors) and contiguous.
void multiply_add(const at::Tensor& sums, const at::Tensor& a, const at::Tensor& b);

// The dtype that sums over `dtype` are kept in.
at::ScalarType sum_dtype(at::ScalarType dtype);

}  // namespace rhea::ops
