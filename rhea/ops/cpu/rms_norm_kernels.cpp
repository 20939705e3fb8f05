#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rhea/ops/cpu/rms_norm_kernels.cpp"
#include <hwy/foreach_target.h>
#include "rhea/ops/cpu/targets.h"
// clang-format off: foreach_target.h comes first
#include "rhea/ops/cpu/convert-inl.h"
#include "rhea/ops/cpu/rowwise_kernels.h"
// clang-format on

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace rhea::ops::cpu {
namespace HWY_NAMESPACE {

using Lanes = hn::ScalableTag<float>;
using Floats = hn::Vec<Lanes>;

template <class T>
float inverse_rms(std::int64_t dim, const T* x, float eps) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Floats squares = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + lanes <= dim; i += lanes) {
    const Floats v = load_floats(d, x + i);
    squares = hn::MulAdd(v, v, squares);
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, squares));
  for (; i < dim; ++i) {
    sum += to_float(x[i]) * to_float(x[i]);
  }
  return 1.0F / std::sqrt(sum / static_cast<float>(dim) + eps);
}

template <class T>
void forward(std::int64_t rows, std::int64_t dim, const T* x, std::int64_t row_stride, const float* weight, float eps, T* y) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < rows; ++row, x += row_stride, y += dim) {
    const float inverse = inverse_rms(dim, x, eps);
    const Floats scale = hn::Set(d, inverse);
    std::int64_t i = 0;
    for (; i + lanes <= dim; i += lanes) {
      store_floats(d, hn::Mul(hn::Mul(load_floats(d, x + i), scale), hn::LoadU(d, weight + i)), y + i);
    }
    for (; i < dim; ++i) {
      store_float(to_float(x[i]) * inverse * weight[i], y + i);
    }
  }
}

// With r = (mean x^2 + eps)^-1/2:  grad_x = r (g w - x r^2 mean(x g w)),  grad_w += g x r.
template <class T>
void backward(std::int64_t rows, std::int64_t dim, const T* grad, const T* x, std::int64_t row_stride, const float* weight,
              float eps, T* grad_x, float* grad_weight) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < rows; ++row, x += row_stride, grad += dim, grad_x += dim) {
    const float inverse = inverse_rms(dim, x, eps);
    const Floats scale = hn::Set(d, inverse);
    Floats products = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + lanes <= dim; i += lanes) {
      const Floats gx = hn::Mul(load_floats(d, grad + i), load_floats(d, x + i));
      products = hn::MulAdd(gx, hn::LoadU(d, weight + i), products);
      hn::StoreU(hn::MulAdd(gx, scale, hn::LoadU(d, grad_weight + i)), d, grad_weight + i);
    }
    float dot = hn::GetLane(hn::SumOfLanes(d, products));
    for (; i < dim; ++i) {
      const float gx = to_float(grad[i]) * to_float(x[i]);
      dot += gx * weight[i];
      grad_weight[i] += gx * inverse;
    }
    const float back = dot * inverse * inverse / static_cast<float>(dim);
    const Floats pull = hn::Set(d, back);
    for (i = 0; i + lanes <= dim; i += lanes) {
      const Floats gw = hn::Mul(load_floats(d, grad + i), hn::LoadU(d, weight + i));
      store_floats(d, hn::Mul(scale, hn::NegMulAdd(load_floats(d, x + i), pull, gw)), grad_x + i);
    }
    for (; i < dim; ++i) {
      store_float(inverse * (to_float(grad[i]) * weight[i] - to_float(x[i]) * back), grad_x + i);
    }
  }
}

void forward_floats(std::int64_t rows, std::int64_t dim, const float* x, std::int64_t row_stride, const float* weight, float eps,
                    float* y) {
  forward(rows, dim, x, row_stride, weight, eps, y);
}
void forward_bfloat16s(std::int64_t rows, std::int64_t dim, const BFloat16* x, std::int64_t row_stride, const float* weight,
                       float eps, BFloat16* y) {
  forward(rows, dim, x, row_stride, weight, eps, y);
}
void backward_floats(std::int64_t rows, std::int64_t dim, const float* grad, const float* x, std::int64_t row_stride,
                     const float* weight, float eps, float* grad_x, float* grad_weight) {
  backward(rows, dim, grad, x, row_stride, weight, eps, grad_x, grad_weight);
}
void backward_bfloat16s(std::int64_t rows, std::int64_t dim, const BFloat16* grad, const BFloat16* x, std::int64_t row_stride,
                        const float* weight, float eps, BFloat16* grad_x, float* grad_weight) {
  backward(rows, dim, grad, x, row_stride, weight, eps, grad_x, grad_weight);
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
void rms_norm(std::int64_t rows, std::int64_t dim, const float* x, std::int64_t row_stride, const float* weight, float eps,
              float* y) {
  HWY_DYNAMIC_DISPATCH(forward_floats)(rows, dim, x, row_stride, weight, eps, y);
}

template <>
void rms_norm(std::int64_t rows, std::int64_t dim, const BFloat16* x, std::int64_t row_stride, const float* weight, float eps,
              BFloat16* y) {
  HWY_DYNAMIC_DISPATCH(forward_bfloat16s)(rows, dim, x, row_stride, weight, eps, y);
}

template <>
void rms_norm_backward(std::int64_t rows, std::int64_t dim, const float* grad, const float* x, std::int64_t row_stride,
                       const float* weight, float eps, float* grad_x, float* grad_weight) {
  HWY_DYNAMIC_DISPATCH(backward_floats)(rows, dim, grad, x, row_stride, weight, eps, grad_x, grad_weight);
}

template <>
void rms_norm_backward(std::int64_t rows, std::int64_t dim, const BFloat16* grad, const BFloat16* x, std::int64_t row_stride,
                       const float* weight, float eps, BFloat16* grad_x, float* grad_weight) {
  HWY_DYNAMIC_DISPATCH(backward_bfloat16s)(rows, dim, grad, x, row_stride, weight, eps, grad_x, grad_weight);
}

}  // namespace rhea::ops::cpu
#endif
