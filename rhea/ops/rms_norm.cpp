#include "rhea/ops/rms_norm.h"

#include "rhea/ops/gradient.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rsqrt.h>
#include <c10/core/GradMode.h>

namespace rhea::ops {
namespace {

at::ScalarType wide(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor inverse_rms(const at::Tensor& x, double eps) {
  return at::rsqrt(x.square().mean(-1, true).add_(eps));
}

// y_i = x_i r w_i with r = (mean x^2 + eps)^-1/2, so dx = r (g w) - x r^3 mean(x g w) and dw = sum over rows of g x r.
std::vector<at::Tensor> backward_aten(const at::Tensor& grad, const at::Tensor& saved_x, const at::Tensor& weight, double eps) {
  const at::Tensor g = grad.to(wide(saved_x)), x = saved_x.to(wide(saved_x));
  const at::Tensor r = inverse_rms(x, eps);
  const at::Tensor gw = g * weight.to(wide(saved_x));
  const at::Tensor dot = (gw * x).mean(-1, true);
  const at::Tensor grad_x = (gw - x * r.square() * dot).mul_(r);
  const at::Tensor grad_weight = (g * x * r).reshape({-1, x.size(-1)}).sum(0);
  return {grad_x.to(saved_x.scalar_type()), grad_weight.to(weight.scalar_type())};
}

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor saved_x = x.detach(), saved_weight = weight.detach();
  at::Tensor y;
  {
    const c10::NoGradGuard no_grad;
    const at::Tensor xf = saved_x.to(wide(x));
    y = (xf * inverse_rms(xf, eps) * saved_weight).to(x.scalar_type());
  }
  return with_gradient("rms_norm", {x, weight}, {y}, [=](at::TensorList grad) {
    return grad[0].defined() ? backward_aten(grad[0], saved_x, saved_weight, eps) : std::vector<at::Tensor>(2);
  })[0];
}

}  // namespace rhea::ops
