#include "rhea/ops/linear.h"

#include "rhea/core/error.h"
#include "rhea/ops/gemm.h"
#include "rhea/ops/gradient.h"

#include <c10/core/GradMode.h>
#include <fmt/ranges.h>

namespace rhea::ops {
namespace {

void check_shapes(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const bool fits = x.dim() >= 1 && weight.dim() == 2 && x.size(-1) == weight.size(1) &&
                    (!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)));
  if (!fits) {
    fail("linear: expected x [..., in], weight [out, in] and bias [out]; got x [{}], weight [{}], bias [{}]",
         fmt::join(x.sizes(), ", "), fmt::join(weight.sizes(), ", "),
         bias.defined() ? fmt::format("{}", fmt::join(bias.sizes(), ", ")) : "none");
  }
}

at::Tensor forward(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& bias) {
  const at::ScalarType dtype = rows.scalar_type();
  const at::Tensor factor = weight.t();
  if (!bias.defined()) {
    return multiply(rows, factor, dtype);
  }
  // In fp32, so that the sum is rounded once.
  return multiply(rows, factor, sum_dtype(dtype)).add_(bias).to(dtype);
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  check_shapes(x, weight, bias);
  const at::ScalarType dtype = x.scalar_type();
  const std::int64_t in = weight.size(1), out = weight.size(0);
  const bool wants_x = needs_gradient({x}), wants_weight = needs_gradient({weight}), wants_bias = needs_gradient({bias});
  const at::Tensor rows = x.detach().reshape({-1, in});
  const at::Tensor saved_rows = wants_weight ? rows : at::Tensor();
  const at::Tensor saved_weight = weight.detach();
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = out;

  at::Tensor y;
  {
    const c10::NoGradGuard no_grad;
    y = forward(rows, saved_weight, bias.defined() ? bias.detach() : bias).view(shape);
  }
  const auto bias_dtype = bias.defined() ? bias.scalar_type() : dtype;
  auto backward = [=, x_shape = x.sizes().vec()](at::TensorList grad_outputs) {
    std::vector<at::Tensor> grads(3);
    if (!grad_outputs[0].defined()) {
      return grads;
    }
    const at::Tensor grad = grad_outputs[0].reshape({-1, out});
    if (wants_x) {
      grads[0] = multiply(grad, saved_weight, dtype).view(x_shape);
    }
    if (wants_weight) {
      grads[1] = multiply(grad.t(), saved_rows, saved_weight.scalar_type());
    }
    if (wants_bias) {
      grads[2] = grad.sum(0, false, sum_dtype(dtype)).to(bias_dtype);
    }
    return grads;
  };
  return with_gradient("linear", {x, weight, bias}, {y}, std::move(backward))[0];
}

}  // namespace rhea::ops
