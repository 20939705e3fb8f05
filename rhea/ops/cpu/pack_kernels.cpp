#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rhea/ops/cpu/pack_kernels.cpp"
#include <hwy/foreach_target.h>
#include "rhea/ops/cpu/targets.h"
// clang-format off: foreach_target.h comes first
#include "rhea/ops/cpu/convert-inl.h"
#include "rhea/ops/cpu/pack_kernels.h"
// clang-format on

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace rhea::ops::cpu {
namespace HWY_NAMESPACE {

using Bits = hn::ScalableTag<std::uint32_t>;
using BitsVector = hn::Vec<Bits>;

constexpr std::int64_t kTile = 16;  // of a transposition: a cache line of pairs

// The bf16 nearest to each float, in the upper half of its lane; the lower half is zero.
HWY_INLINE BitsVector rounded(Bits d, hn::Vec<hn::Rebind<float, Bits>> x) {
  const BitsVector bits = hn::BitCast(d, x);
  const BitsVector odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  const BitsVector nearest = hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7FFF)));
  const BitsVector result = hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(x)), hn::Set(d, 0x7FC00000), nearest);
  return hn::And(result, hn::Set(d, 0xFFFF0000));
}

HWY_INLINE BitsVector upper_halves(Bits d, const float* from) {
  return rounded(d, hn::LoadU(hn::Rebind<float, Bits>(), from));
}
HWY_INLINE BitsVector upper_halves(Bits d, const BFloat16* from) {
  const hn::Rebind<std::uint16_t, Bits> narrow;
  return hn::ShiftLeft<16>(hn::PromoteTo(d, hn::LoadU(narrow, reinterpret_cast<const std::uint16_t*>(from))));
}

HWY_INLINE std::uint32_t upper_half(float x) {
  BFloat16 narrow{};
  store_float(x, &narrow);
  return static_cast<std::uint32_t>(narrow.bits) << 16;
}
HWY_INLINE std::uint32_t upper_half(BFloat16 x) {
  return static_cast<std::uint32_t>(x.bits) << 16;
}

template <class T>
void rows(const T* first, const T* second, std::int64_t n, std::uint32_t* pairs) {
  const Bits d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::Or(hn::ShiftRight<16>(upper_halves(d, first + i)), upper_halves(d, second + i)), d, pairs + i);
  }
  for (; i < n; ++i) {
    pairs[i] = (upper_half(first[i]) >> 16) | upper_half(second[i]);
  }
}

// Pairs of neighbours. `pairs` has room for kTile.
HWY_INLINE void pair_up(const float* x, std::int64_t count, std::uint32_t* pairs) {
  const Bits d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<hn::Rebind<float, Bits>> first, second;
    hn::LoadInterleaved2(hn::Rebind<float, Bits>(), x + 2 * i, first, second);
    hn::StoreU(hn::Or(hn::ShiftRight<16>(rounded(d, first)), rounded(d, second)), d, pairs + i);
  }
  for (; i < count; ++i) {
    pairs[i] = (upper_half(x[2 * i]) >> 16) | upper_half(x[2 * i + 1]);
  }
}
HWY_INLINE void pair_up(const BFloat16* x, std::int64_t count, std::uint32_t* pairs) {
  std::memcpy(pairs, x, static_cast<std::size_t>(count) * sizeof(std::uint32_t));
}

// A column's neighbours lie together in memory: pairs first, then 16 columns of 16 pairs change places.
template <class T>
void columns(const T* from, std::int64_t stride, std::int64_t k, std::int64_t n, std::uint32_t* pairs) {
  for (std::int64_t pair = 0; pair < k / 2; pair += kTile) {
    const std::int64_t height = std::min(kTile, k / 2 - pair);
    for (std::int64_t column = 0; column < n; column += kTile) {
      const std::int64_t width = std::min(kTile, n - column);
      alignas(64) std::uint32_t tile[kTile][kTile];
      for (std::int64_t j = 0; j < width; ++j) {
        std::uint32_t line[kTile];
        pair_up(from + (column + j) * stride + 2 * pair, height, line);
        for (std::int64_t i = 0; i < height; ++i) {
          tile[i][j] = line[i];
        }
      }
      for (std::int64_t i = 0; i < height; ++i) {
        std::copy(tile[i], tile[i] + width, pairs + (pair + i) * n + column);
      }
    }
  }
}

void rows_of_floats(const float* first, const float* second, std::int64_t n, std::uint32_t* pairs) {
  rows(first, second, n, pairs);
}
void rows_of_bfloat16(const BFloat16* first, const BFloat16* second, std::int64_t n, std::uint32_t* pairs) {
  rows(first, second, n, pairs);
}
void columns_of_floats(const float* from, std::int64_t stride, std::int64_t k, std::int64_t n, std::uint32_t* pairs) {
  columns(from, stride, k, n, pairs);
}
void columns_of_bfloat16(const BFloat16* from, std::int64_t stride, std::int64_t k, std::int64_t n, std::uint32_t* pairs) {
  columns(from, stride, k, n, pairs);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace rhea::ops::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rhea::ops::cpu {

HWY_EXPORT(rows_of_floats);
HWY_EXPORT(rows_of_bfloat16);
HWY_EXPORT(columns_of_floats);
HWY_EXPORT(columns_of_bfloat16);

void pack_pairs_of_rows(const float* first, const float* second, std::int64_t n, std::uint32_t* pairs) {
  HWY_DYNAMIC_DISPATCH(rows_of_floats)(first, second, n, pairs);
}
void pack_pairs_of_rows(const BFloat16* first, const BFloat16* second, std::int64_t n, std::uint32_t* pairs) {
  HWY_DYNAMIC_DISPATCH(rows_of_bfloat16)(first, second, n, pairs);
}
void pack_pairs_of_columns(const float* from, std::int64_t stride, std::int64_t k, std::int64_t n, std::uint32_t* pairs) {
  HWY_DYNAMIC_DISPATCH(columns_of_floats)(from, stride, k, n, pairs);
}
void pack_pairs_of_columns(const BFloat16* from, std::int64_t stride, std::int64_t k, std::int64_t n, std::uint32_t* pairs) {
  HWY_DYNAMIC_DISPATCH(columns_of_bfloat16)(from, stride, k, n, pairs);
}

}  // namespace rhea::ops::cpu
#endif
