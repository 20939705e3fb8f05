// The head of a language model and its loss in one: cross entropy of (hidden weight^T) against labels, a block of tokens
// at a time, so that the [tokens, vocab] logits never exist whole.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace rhea::ops {

// hidden [tokens, dim]; weight [vocab, dim] in fp32 or hidden's dtype; labels [tokens] int64. Gives the SUM of the cross
// entropies over labels != ignore_index: a fp32 scalar. Ignored labels cost no arithmetic and give no gradient; if all are, the
// loss is 0 and still part of the graph. Softmax in fp32. When gradients are recorded both gradients (of weight in fp32) are made
// here and backward only scales them. Throws Error for a label outside [0, vocab).
at::Tensor linear_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                                std::int64_t ignore_index = -100);

}  // namespace rhea::ops
