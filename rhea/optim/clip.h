// Gradient norms and clipping, with the arithmetic of torch.nn.utils.clip_grad_norm_: the norm of the tensors' norms, fp32.
//
// Results are 0-dim fp32 tensors on the gradients' device: nothing here waits for the device.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "rhea/optim/named_tensor.h"

namespace rhea {

// The defined gradients of the parameters, in their order.
std::vector<at::Tensor> gradients_of(std::span<const NamedTensor> parameters);

// The p-norm of all elements, p = 2 or infinity (else UsageError naming training.norm_type). No gradients: 0.
at::Tensor total_norm(at::TensorList gradients, double p = 2.0);

// Scales all gradients in place by min(1, max_norm / (norm + 1e-6)) and gives the norm before that.
// max_norm <= 0 only measures. A norm that is not finite makes the gradients so too: look at it before the update.
at::Tensor clip_(at::TensorList gradients, double max_norm, double p = 2.0);

}  // namespace rhea
