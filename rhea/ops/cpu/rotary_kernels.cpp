#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rhea/ops/cpu/rotary_kernels.cpp"
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

constexpr std::int64_t kChunk = 64;  // elements of a head turned at a time

// Factors of x and of x with the members of each pair exchanged: (c, c) and (-s, s).
struct Factors {
  float own[kChunk], other[kChunk];
};

template <class T>
HWY_INLINE void rotate_chunk(std::int64_t n, const T* x, const Factors& factors, T* y) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= n; i += lanes) {
    const Floats v = load_floats(d, x + i);
    const Floats turned = hn::Mul(hn::Shuffle2301(v), hn::LoadU(d, factors.other + i));
    store_floats(d, hn::MulAdd(v, hn::LoadU(d, factors.own + i), turned), y + i);
  }
#endif
  for (; i < n; i += 2) {
    const float first = to_float(x[i]), second = to_float(x[i + 1]);
    store_float(first * factors.own[i] + second * factors.other[i], y + i);
    store_float(second * factors.own[i + 1] + first * factors.other[i + 1], y + i + 1);
  }
}

template <class T>
void rotate(std::int64_t heads, std::int64_t head_dim, const T* x, std::int64_t head_stride, const float* cos, const float* sin,
            float direction, T* y) {
  Factors factors;
  for (std::int64_t begin = 0; begin < head_dim; begin += kChunk) {
    const std::int64_t n = std::min(kChunk, head_dim - begin);
    for (std::int64_t i = 0; i < n; i += 2) {
      factors.own[i] = factors.own[i + 1] = cos[(begin + i) / 2];
      factors.other[i + 1] = direction * sin[(begin + i) / 2];
      factors.other[i] = -factors.other[i + 1];
    }
    for (std::int64_t head = 0; head < heads; ++head) {
      rotate_chunk(n, x + head * head_stride + begin, factors, y + head * head_dim + begin);
    }
  }
}

void rotate_floats(std::int64_t heads, std::int64_t head_dim, const float* x, std::int64_t head_stride, const float* cos,
                   const float* sin, float direction, float* y) {
  rotate(heads, head_dim, x, head_stride, cos, sin, direction, y);
}
void rotate_bfloat16s(std::int64_t heads, std::int64_t head_dim, const BFloat16* x, std::int64_t head_stride, const float* cos,
                      const float* sin, float direction, BFloat16* y) {
  rotate(heads, head_dim, x, head_stride, cos, sin, direction, y);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace rhea::ops::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rhea::ops::cpu {

HWY_EXPORT(rotate_floats);
HWY_EXPORT(rotate_bfloat16s);

template <>
void rotate_token(std::int64_t heads, std::int64_t head_dim, const float* x, std::int64_t head_stride, const float* cos,
                  const float* sin, float direction, float* y) {
  HWY_DYNAMIC_DISPATCH(rotate_floats)(heads, head_dim, x, head_stride, cos, sin, direction, y);
}

template <>
void rotate_token(std::int64_t heads, std::int64_t head_dim, const BFloat16* x, std::int64_t head_stride, const float* cos,
                  const float* sin, float direction, BFloat16* y) {
  HWY_DYNAMIC_DISPATCH(rotate_bfloat16s)(heads, head_dim, x, head_stride, cos, sin, direction, y);
}

}  // namespace rhea::ops::cpu
#endif
