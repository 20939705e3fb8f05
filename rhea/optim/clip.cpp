#include "rhea/optim/clip.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "rhea/core/error.h"

namespace rhea {

std::vector<at::Tensor> gradients_of(std::span<const NamedTensor> parameters) {
  std::vector<at::Tensor> gradients;
  for (const NamedTensor& parameter : parameters) {
    if (parameter.tensor.grad().defined()) {
      gradients.push_back(parameter.tensor.grad());
    }
  }
  return gradients;
}

at::Tensor total_norm(at::TensorList gradients, double p) {
  if (p != 2.0 && !(std::isinf(p) && p > 0)) {
    fail_usage("training.norm_type: expected 2 or inf, found {}", p);
  }
  if (gradients.empty()) {
    return at::zeros({}, at::kFloat);
  }
  const c10::AutoGradMode no_grad(false);
  const std::vector<at::Tensor> norms = at::_foreach_norm(gradients, p, at::kFloat);
  return at::linalg_vector_norm(at::stack(norms), p);
}

at::Tensor clip_(at::TensorList gradients, double max_norm, double p) {
  const c10::AutoGradMode no_grad(false);
  const at::Tensor norm = total_norm(gradients, p);
  if (max_norm > 0 && !gradients.empty()) {
    // Multiplied even by 1: asking whether it is needed would wait for the device.
    at::_foreach_mul_(gradients, (max_norm / (norm + 1e-6)).clamp_max(1.0));
  }
  return norm;
}

}  // namespace rhea
