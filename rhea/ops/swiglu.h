// The gated activation of llama's feed-forward (Shazeer 2020): silu(gate) * up, silu(g) = g / (1 + exp(-g)).
#pragma once

#include <ATen/core/Tensor.h>

namespace rhea::ops {

// gate and up of one shape and dtype; so is the result. Backward keeps gate and up and nothing else.
at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up);

}  // namespace rhea::ops
