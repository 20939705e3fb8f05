// Activation checkpointing (Chen et al. 2016): keep a block's input, run the block again in backward.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace rhea::ops {

// f(x), keeping only x. Backward runs f again with gradients recorded and goes back through it, so parameters that f uses
// get their .grad accumulated as usual, with the same bits as without. f must be a pure function of x and of tensors that
// have not changed by then, and hold by value what it needs; calls may be nested. If x wants no gradient while
// parameters in f do, f simply runs with gradients recorded.
at::Tensor checkpoint(std::function<at::Tensor(const at::Tensor&)> f, const at::Tensor& x);

}  // namespace rhea::ops
