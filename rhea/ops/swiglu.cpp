#include "rhea/ops/swiglu.h"

#include "rhea/core/error.h"
#include "rhea/ops/cpu/element_type.h"
#include "rhea/ops/cpu/rowwise_kernels.h"
#include "rhea/ops/gradient.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <c10/core/GradMode.h>
#include <fmt/ranges.h>

namespace rhea::ops {
namespace {

constexpr std::int64_t kGrain = 1 << 14;  // elements a thread should at least have

at::Tensor forward(const at::Tensor& gate, const at::Tensor& up) {
  if (!cpu::has_kernels_for(gate)) {
    return at::silu(gate).mul_(up);
  }
  at::Tensor y = at::empty_like(gate);
  cpu::with_element_type(gate.scalar_type(), [&]<class T>(T) {
    const T *g = cpu::elements<T>(gate), *u = cpu::elements<T>(up);
    T* out = cpu::mutable_elements<T>(y);
    at::parallel_for(0, y.numel(), kGrain,
                     [&](std::int64_t begin, std::int64_t end) { cpu::swiglu(end - begin, g + begin, u + begin, out + begin); });
  });
  return y;
}

std::vector<at::Tensor> backward(const at::Tensor& grad, const at::Tensor& gate, const at::Tensor& up) {
  if (!cpu::has_kernels_for(gate)) {
    return {at::silu_backward(grad * up, gate), at::silu(gate).mul_(grad)};
  }
  const at::Tensor grad_y = grad.contiguous();
  std::vector<at::Tensor> grads{at::empty_like(gate), at::empty_like(up)};
  cpu::with_element_type(gate.scalar_type(), [&]<class T>(T) {
    const T *out = cpu::elements<T>(grad_y), *g = cpu::elements<T>(gate), *u = cpu::elements<T>(up);
    T *to_gate = cpu::mutable_elements<T>(grads[0]), *to_up = cpu::mutable_elements<T>(grads[1]);
    at::parallel_for(0, gate.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      cpu::swiglu_backward(end - begin, out + begin, g + begin, u + begin, to_gate + begin, to_up + begin);
    });
  });
  return grads;
}

}  // namespace

at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) {
  if (gate.sizes() != up.sizes() || gate.scalar_type() != up.scalar_type()) {
    fail("swiglu: expected gate and up of one shape and dtype; got [{}] {} and [{}] {}", fmt::join(gate.sizes(), ", "),
         c10::toString(gate.scalar_type()), fmt::join(up.sizes(), ", "), c10::toString(up.scalar_type()));
  }
  const at::Tensor g = gate.detach().contiguous(), u = up.detach().contiguous();
  at::Tensor y;
  {
    const c10::NoGradGuard no_grad;
    y = forward(g, u);
  }
  return with_gradient("swiglu", {gate, up}, {y}, [g, u](at::TensorList grad) {
    return grad[0].defined() ? backward(grad[0], g, u) : std::vector<at::Tensor>(2);
  })[0];
}

}  // namespace rhea::ops
