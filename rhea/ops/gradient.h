// Operations with a hand-written gradient.
//
// A fused op computes its outputs under no-grad and then says here how gradients flow back. This stands in for
// torch::autograd::Function, whose header costs 13 s a file.
//
//   at::Tensor square(const at::Tensor& x) {
//     at::Tensor saved = x.detach();
//     return with_gradient("square", {x}, {no_grad_square(x)}, [saved](at::TensorList grad) {
//       return std::vector<at::Tensor>{grad[0] * saved * 2};
//     })[0];
//   }
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace rhea::ops {

// grad_outputs -> grad_inputs, one for each input in their order. An undefined grad_output means zero; an undefined
// grad_input means "no gradient". Called once, then dropped with all that it captured (also when backward never
// comes, with the outputs). Capture detached tensors: capturing an output itself would keep the graph alive for ever.
using Backward = std::function<std::vector<at::Tensor>(at::TensorList grad_outputs)>;

// True if gradients are being recorded and one of the inputs wants one: whether to save anything at all.
bool needs_gradient(at::TensorList inputs);

// Connects outputs (computed under no-grad, so without history) to inputs. Gives the outputs, which now require
// grad; without a need for gradients it gives them as they are and drops `backward`. Undefined inputs are allowed.
std::vector<at::Tensor> with_gradient(const char* name, at::TensorList inputs, std::vector<at::Tensor> outputs,
                                      Backward backward);

}  // namespace rhea::ops
