// Blocked attention on the CPU, fp32 and bf16: the tensors' side of attention_kernels.h.
//
// Work is divided among threads by (row of the batch, key-value head), so results do not depend on their number. Beside
// the results a thread needs room for five (forward: two) fp32 copies of one head.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

namespace rhea::ops::cpu {

bool attention_supports(const at::Tensor& query);

struct AttentionResult {
  at::Tensor output;       // [batch, seq, heads, head_dim]
  at::Tensor log_sum_exp;  // [batch, heads, seq] fp32, to base 2
};

// Shapes as in rhea/ops/attention.h, last dimensions contiguous; document_starts contiguous or undefined.
AttentionResult attention_forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                  const at::Tensor& document_starts);

// Gradients of query, key and value, contiguous.
std::array<at::Tensor, 3> attention_backward(const at::Tensor& grad_output, const at::Tensor& query, const at::Tensor& key,
                                             const at::Tensor& value, const AttentionResult& result,
                                             const at::Tensor& document_starts);

}  // namespace rhea::ops::cpu
