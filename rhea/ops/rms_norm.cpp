#include "rhea/ops/rms_norm.h"

#include "rhea/core/error.h"
#include "rhea/ops/cpu/element_type.h"
#include "rhea/ops/cpu/rowwise_kernels.h"
#include "rhea/ops/gemm.h"
#include "rhea/ops/gradient.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <fmt/ranges.h>

namespace rhea::ops {
namespace {

// Rows that one partial sum of the weight's gradient covers: fixed, so that sums do not depend on the number of threads.
constexpr std::int64_t kRows = 128;

at::Tensor inverse_rms(const at::Tensor& x, double eps) {
  return at::rsqrt(x.square().mean(-1, true).add_(eps));
}

at::Tensor forward_aten(const at::Tensor& rows, const at::Tensor& weight, double eps) {
  const at::Tensor x = rows.to(sum_dtype(rows.scalar_type()));
  return (x * inverse_rms(x, eps) * weight).to(rows.scalar_type());
}

// y_i = x_i r w_i with r = (mean x^2 + eps)^-1/2, so dx = r (g w - x r^2 mean(x g w)) and dw = sum over rows of g x r.
std::vector<at::Tensor> backward_aten(const at::Tensor& grad, const at::Tensor& rows, const at::Tensor& weight, double eps) {
  const at::ScalarType wide = sum_dtype(rows.scalar_type());
  const at::Tensor g = grad.to(wide), x = rows.to(wide), gw = g * weight.to(wide);
  const at::Tensor r = inverse_rms(x, eps);
  const at::Tensor grad_x = (gw - x * r.square() * (gw * x).mean(-1, true)).mul_(r);
  return {grad_x.to(rows.scalar_type()), (g * x * r).sum(0).to(weight.scalar_type())};
}

at::Tensor forward(const at::Tensor& rows, const at::Tensor& weight, double eps) {
  if (!cpu::has_kernels_for(rows)) {
    return forward_aten(rows, weight, eps);
  }
  const at::Tensor w = weight.to(at::kFloat).contiguous();
  at::Tensor y = at::empty(rows.sizes(), rows.options());
  const std::int64_t dim = rows.size(1), stride = rows.stride(0);
  cpu::with_element_type(rows.scalar_type(), [&]<class T>(T) {
    const T* x = cpu::elements<T>(rows);
    T* out = cpu::mutable_elements<T>(y);
    at::parallel_for(0, rows.size(0), kRows, [&](std::int64_t begin, std::int64_t end) {
      cpu::rms_norm(end - begin, dim, x + begin * stride, stride, w.const_data_ptr<float>(), static_cast<float>(eps),
                    out + begin * dim);
    });
  });
  return y;
}

std::vector<at::Tensor> backward(const at::Tensor& grad, const at::Tensor& rows, const at::Tensor& weight, double eps) {
  if (!cpu::has_kernels_for(rows)) {
    return backward_aten(grad, rows, weight, eps);
  }
  const at::Tensor w = weight.to(at::kFloat).contiguous();
  const std::int64_t count = rows.size(0), dim = rows.size(1), stride = rows.stride(0), blocks = (count + kRows - 1) / kRows;
  const at::Tensor grad_x = at::empty(rows.sizes(), rows.options());
  const at::Tensor partial = at::zeros({blocks, dim}, w.options());
  cpu::with_element_type(rows.scalar_type(), [&]<class T>(T) {
    const T *g = cpu::elements<T>(grad), *x = cpu::elements<T>(rows);
    T* to_x = cpu::mutable_elements<T>(grad_x);
    float* to_weight = partial.mutable_data_ptr<float>();
    at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t block = begin; block < end; ++block) {
        const std::int64_t row = block * kRows, n = std::min(kRows, count - row);
        cpu::rms_norm_backward(n, dim, g + row * dim, x + row * stride, stride, w.const_data_ptr<float>(),
                               static_cast<float>(eps), to_x + row * dim, to_weight + block * dim);
      }
    });
  });
  return {grad_x, partial.sum(0).to(weight.scalar_type())};
}

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  if (x.dim() < 1 || weight.dim() != 1 || x.size(-1) != weight.size(0)) {
    fail("rms_norm: expected x [..., dim] and weight [dim]; got [{}] and [{}]", fmt::join(x.sizes(), ", "),
         fmt::join(weight.sizes(), ", "));
  }
  const std::int64_t dim = weight.size(0);
  at::Tensor rows = x.detach().reshape({-1, dim});
  if (dim > 1 && rows.stride(1) != 1) {
    rows = rows.contiguous();
  }
  const at::Tensor w = weight.detach();
  at::Tensor y;
  {
    const c10::NoGradGuard no_grad;
    y = forward(rows, w, eps).view(x.sizes());
  }
  return with_gradient("rms_norm", {x, weight}, {y}, [=, shape = x.sizes().vec()](at::TensorList grad) {
    if (!grad[0].defined()) {
      return std::vector<at::Tensor>(2);
    }
    auto grads = backward(grad[0].reshape({-1, dim}).contiguous(), rows, w, eps);
    grads[0] = grads[0].view(shape);
    return grads;
  })[0];
}

}  // namespace rhea::ops
