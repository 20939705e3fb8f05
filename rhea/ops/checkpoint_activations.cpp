#include "rhea/ops/checkpoint_activations.h"

#include "rhea/ops/gradient.h"

#include <ATen/core/grad_mode.h>

namespace rhea::ops {

at::Tensor checkpoint(std::function<at::Tensor(const at::Tensor&)> f, const at::Tensor& x) {
  if (!needs_gradient({x})) {
    return f(x);
  }
  const at::Tensor saved = x.detach();
  at::Tensor y;
  {
    const c10::NoGradGuard no_grad;
    y = f(saved);
  }
  return with_gradient("checkpoint", {x}, {y}, [f = std::move(f), saved](at::TensorList grad) -> std::vector<at::Tensor> {
    if (!grad[0].defined()) {
      return {at::Tensor()};
    }
    const at::AutoGradMode with_grad(true);
    const at::Tensor input = saved.detach().set_requires_grad(true);
    f(input).backward(grad[0]);
    return {input.grad()};
  })[0];
}

}  // namespace rhea::ops
