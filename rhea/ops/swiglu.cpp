#include "rhea/ops/swiglu.h"

#include "rhea/ops/gradient.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <c10/core/GradMode.h>

namespace rhea::ops {

at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) {
  const at::Tensor g = gate.detach(), u = up.detach();
  at::Tensor y;
  {
    const c10::NoGradGuard no_grad;
    y = at::silu(g).mul_(u);
  }
  return with_gradient("swiglu", {gate, up}, {y}, [g, u](at::TensorList grad) -> std::vector<at::Tensor> {
    if (!grad[0].defined()) {
      return {at::Tensor(), at::Tensor()};
    }
    return {at::silu_backward(grad[0] * u, g), at::silu(g).mul_(grad[0])};
  })[0];
}

}  // namespace rhea::ops
