#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rhea/ops/cpu/swiglu_kernels.cpp"
#include <hwy/foreach_target.h>
#include "rhea/ops/cpu/targets.h"
// clang-format off: foreach_target.h comes first
#include "rhea/ops/cpu/convert-inl.h"
#include "rhea/ops/cpu/rowwise_kernels.h"
// clang-format on

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace rhea::ops::cpu {
namespace HWY_NAMESPACE {

using Lanes = hn::ScalableTag<float>;
using Floats = hn::Vec<Lanes>;
constexpr std::int64_t kMaxLanes = hn::MaxLanes(Lanes());

// 1 / (1 + e^-x). Below -87 the exponential is held at 2^127, which leaves a denormal.
HWY_INLINE Floats sigmoid(Lanes d, Floats x) {
  const Floats exponent = hn::Min(hn::Mul(x, hn::Set(d, -1.44269504F)), hn::Set(d, 126.0F));
  return hn::Div(hn::Set(d, 1.0F), hn::Add(hn::Set(d, 1.0F), exp2(d, exponent)));
}

template <class T>
HWY_INLINE void forward_vector(Lanes d, const T* gate, const T* up, T* y) {
  const Floats g = load_floats(d, gate);
  store_floats(d, hn::Mul(hn::Mul(g, sigmoid(d, g)), load_floats(d, up)), y);
}

// d silu / dg = s (1 + g (1 - s)) with s = sigmoid(g).
template <class T>
HWY_INLINE void backward_vector(Lanes d, const T* grad, const T* gate, const T* up, T* grad_gate, T* grad_up) {
  const Floats one = hn::Set(d, 1.0F), g = load_floats(d, gate), out = load_floats(d, grad), u = load_floats(d, up);
  const Floats s = sigmoid(d, g);
  const Floats slope = hn::Mul(s, hn::MulAdd(g, hn::Sub(one, s), one));
  store_floats(d, hn::Mul(hn::Mul(out, u), slope), grad_gate);
  store_floats(d, hn::Mul(out, hn::Mul(g, s)), grad_up);
}

template <class T>
void forward(std::int64_t n, const T* gate, const T* up, T* y) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    forward_vector(d, gate + i, up + i, y + i);
  }
  // The rest goes through the same arithmetic, so that an element's result does not depend on where the work was cut.
  T g[kMaxLanes] = {}, u[kMaxLanes] = {}, out[kMaxLanes];
  std::copy(gate + i, gate + n, g);
  std::copy(up + i, up + n, u);
  forward_vector(d, g, u, out);
  std::copy(out, out + (n - i), y + i);
}

template <class T>
void backward(std::int64_t n, const T* grad, const T* gate, const T* up, T* grad_gate, T* grad_up) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    backward_vector(d, grad + i, gate + i, up + i, grad_gate + i, grad_up + i);
  }
  T o[kMaxLanes] = {}, g[kMaxLanes] = {}, u[kMaxLanes] = {}, to_gate[kMaxLanes], to_up[kMaxLanes];
  std::copy(grad + i, grad + n, o);
  std::copy(gate + i, gate + n, g);
  std::copy(up + i, up + n, u);
  backward_vector(d, o, g, u, to_gate, to_up);
  std::copy(to_gate, to_gate + (n - i), grad_gate + i);
  std::copy(to_up, to_up + (n - i), grad_up + i);
}

void forward_floats(std::int64_t n, const float* gate, const float* up, float* y) {
  forward(n, gate, up, y);
}
void forward_bfloat16s(std::int64_t n, const BFloat16* gate, const BFloat16* up, BFloat16* y) {
  forward(n, gate, up, y);
}
void backward_floats(std::int64_t n, const float* grad, const float* gate, const float* up, float* grad_gate, float* grad_up) {
  backward(n, grad, gate, up, grad_gate, grad_up);
}
void backward_bfloat16s(std::int64_t n, const BFloat16* grad, const BFloat16* gate, const BFloat16* up, BFloat16* grad_gate,
                        BFloat16* grad_up) {
  backward(n, grad, gate, up, grad_gate, grad_up);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace rhea::ops::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rhea::ops::cpu {

HWY_EXPORT(forward_floats);
HWY_EXPORT(forward_bfloat16s);
HWY_EXPORT(backward_floats);
HWY_EXPORT(backward_bfloat16s);

template <>
void swiglu(std::int64_t n, const float* gate, const float* up, float* y) {
  HWY_DYNAMIC_DISPATCH(forward_floats)(n, gate, up, y);
}

template <>
void swiglu(std::int64_t n, const BFloat16* gate, const BFloat16* up, BFloat16* y) {
  HWY_DYNAMIC_DISPATCH(forward_bfloat16s)(n, gate, up, y);
}

template <>
void swiglu_backward(std::int64_t n, const float* grad, const float* gate, const float* up, float* grad_gate, float* grad_up) {
  HWY_DYNAMIC_DISPATCH(backward_floats)(n, grad, gate, up, grad_gate, grad_up);
}

template <>
void swiglu_backward(std::int64_t n, const BFloat16* grad, const BFloat16* gate, const BFloat16* up, BFloat16* grad_gate,
                     BFloat16* grad_up) {
  HWY_DYNAMIC_DISPATCH(backward_bfloat16s)(n, grad, gate, up, grad_gate, grad_up);
}

}  // namespace rhea::ops::cpu
#endif
