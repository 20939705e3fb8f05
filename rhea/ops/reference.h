// The plain form of each op in ATen, differentiated by autograd: what the fused ops are tested against, in any dtype
// (fp64 above all). Arguments as in the op's own header; whole matrices in memory, no blocks, no threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace rhea::ops::reference {

at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const at::Tensor& document_starts);
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);
at::Tensor rotary_embedding(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, const at::Tensor& document_starts,
                            std::int64_t first_position);
at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up);
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
at::Tensor linear_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                                std::int64_t ignore_index);
at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight);

}  // namespace rhea::ops::reference
