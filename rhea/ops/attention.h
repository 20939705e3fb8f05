// Causal self-attention (Vaswani et al. 2017) over packed documents, with grouped key-value heads (Ainslie et al. 2023).
//
// On the CPU in fp32 and bf16 this is our own blocked kernel (cpu/attention.h): it keeps the output and one
// log-sum-exp a query, recomputes the rest in backward, and never visits a block above the diagonal or outside a
// document. Elsewhere ATen's scaled_dot_product_attention does the work.
#pragma once

#include <ATen/core/Tensor.h>

namespace rhea::ops {

// query [batch, seq, heads, head_dim]; key, value [batch, seq, kv_heads, head_dim], heads a multiple of kv_heads, all
// of one dtype. Only the last dimension has to be contiguous, so views of one fused projection will do.
// document_starts [batch, seq] int32, or undefined for one document a row: token t sees the tokens s with
// document_starts[t] <= s <= t. Starts must lie in [0, t] and never decrease along a row.
// Gives [batch, seq, heads, head_dim], contiguous. Scores are scaled by 1/sqrt(head_dim).
at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const at::Tensor& document_starts);

// For generation, without gradient: query [batch, new, heads, head_dim] stands at the positions cached .. cached+new-1
// of key, value [batch, cached + new, kv_heads, head_dim]. Gives [batch, new, heads, head_dim].
at::Tensor cached_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

}  // namespace rhea::ops
