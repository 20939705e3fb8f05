#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rhea/ops/cpu/softmax_kernels.cpp"
#include <hwy/foreach_target.h>
#include "rhea/ops/cpu/targets.h"
// clang-format off: foreach_target.h comes first
#include "rhea/ops/cpu/convert-inl.h"
#include "rhea/ops/cpu/rowwise_kernels.h"
// clang-format on

#include <algorithm>
#include <cmath>
#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace rhea::ops::cpu {
namespace HWY_NAMESPACE {

using Lanes = hn::ScalableTag<float>;
using Floats = hn::Vec<Lanes>;

float row_maximum(std::int64_t n, const float* x) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Floats maxima = hn::Set(d, x[0]);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    maxima = hn::Max(maxima, hn::LoadU(d, x + i));
  }
  float maximum = hn::GetLane(hn::MaxOfLanes(d, maxima));
  for (; i < n; ++i) {
    maximum = std::max(maximum, x[i]);
  }
  return maximum;
}

// x becomes e^(x - maximum); gives their sum. NaN anywhere makes the sum NaN.
float exponentials(std::int64_t n, float* x, float maximum) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Floats shift = hn::Set(d, maximum), log2e = hn::Set(d, std::numbers::log2e_v<float>);
  Floats sums = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Floats e = exp2(d, hn::Mul(hn::Sub(hn::LoadU(d, x + i), shift), log2e));
    hn::StoreU(e, d, x + i);
    sums = hn::Add(sums, e);
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < n; ++i) {
    x[i] = std::exp(x[i] - maximum);
    sum += x[i];
  }
  return sum;
}

template <class T>
void softmax(std::int64_t rows, std::int64_t vocab, float* logits, const std::int64_t* labels, bool gradient, float* losses) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < rows; ++row, logits += vocab) {
    const float target = logits[labels[row]];
    const float maximum = row_maximum(vocab, logits);
    const float sum = exponentials(vocab, logits, maximum);
    losses[row] = std::log(sum) + (maximum - target);
    if (!gradient) {
      continue;
    }
    const float inverse = 1.0F / sum;
    const float at_label = logits[labels[row]] * inverse - 1.0F;
    // In place: element i of T never lies behind the float it is made of.
    T* out = reinterpret_cast<T*>(logits);
    std::int64_t i = 0;
    for (; i + lanes <= vocab; i += lanes) {
      store_floats(d, hn::Mul(hn::LoadU(d, logits + i), hn::Set(d, inverse)), out + i);
    }
    for (; i < vocab; ++i) {
      store_float(logits[i] * inverse, out + i);
    }
    store_float(at_label, out + labels[row]);
  }
}

void softmax_floats(std::int64_t rows, std::int64_t vocab, float* logits, const std::int64_t* labels, bool gradient,
                    float* losses) {
  softmax<float>(rows, vocab, logits, labels, gradient, losses);
}
void softmax_bfloat16s(std::int64_t rows, std::int64_t vocab, float* logits, const std::int64_t* labels, bool gradient,
                       float* losses) {
  softmax<BFloat16>(rows, vocab, logits, labels, gradient, losses);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace rhea::ops::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rhea::ops::cpu {

HWY_EXPORT(softmax_floats);
HWY_EXPORT(softmax_bfloat16s);

template <>
void softmax_cross_entropy<float>(std::int64_t rows, std::int64_t vocab, float* logits, const std::int64_t* labels, bool gradient,
                                  float* losses) {
  HWY_DYNAMIC_DISPATCH(softmax_floats)(rows, vocab, logits, labels, gradient, losses);
}

template <>
void softmax_cross_entropy<BFloat16>(std::int64_t rows, std::int64_t vocab, float* logits, const std::int64_t* labels,
                                     bool gradient, float* losses) {
  HWY_DYNAMIC_DISPATCH(softmax_bfloat16s)(rows, vocab, logits, labels, gradient, losses);
}

}  // namespace rhea::ops::cpu
#endif
