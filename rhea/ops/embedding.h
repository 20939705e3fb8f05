// Table lookup: one row a token.
#pragma once

#include <ATen/core/Tensor.h>

namespace rhea::ops {

// tokens [batch, seq] (or any shape) int64; weight [vocab, dim] fp32. Gives [batch, seq, dim] in `dtype`. The gradient is
// fp32, summed in the order of the tokens, so it is the same each time and for any number of threads.
// Throws Error for a token outside [0, vocab).
at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight, at::ScalarType dtype);

}  // namespace rhea::ops
