// Loading and storing floats and bf16 as vectors of floats, and 2^x. Included once per instruction set (Highway's scheme).
#if defined(RHEA_OPS_CPU_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RHEA_OPS_CPU_CONVERT_INL_H_
#undef RHEA_OPS_CPU_CONVERT_INL_H_
#else
#define RHEA_OPS_CPU_CONVERT_INL_H_
#endif

#include "rhea/ops/cpu/element.h"

#include <hwy/highway.h>
#include <bit>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace rhea::ops::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::VFromD<D> load_floats(D d, const float* from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::VFromD<D> load_floats(D d, const BFloat16* from) {
  const hn::Rebind<std::uint16_t, D> narrow;
  const hn::RebindToUnsigned<D> wide;
  const auto bits = hn::LoadU(narrow, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, bits)));
}

template <class D>
HWY_INLINE void store_floats(D d, hn::VFromD<D> v, float* to) {
  hn::StoreU(v, d, to);
}

// Rounds to nearest, ties to even; NaN stays NaN (adding the rounding bias could carry it to infinity or zero).
template <class D>
HWY_INLINE void store_floats([[maybe_unused]] D d, hn::VFromD<D> v, BFloat16* to) {
  const hn::Rebind<std::uint16_t, D> narrow;
  const hn::RebindToUnsigned<D> wide;
  const hn::RebindToSigned<D> wide_signed;
  const auto bits = hn::BitCast(wide, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(wide, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(wide, 0x7FFF))));
  const auto result = hn::IfThenElse(hn::RebindMask(wide, hn::IsNaN(v)), hn::Set(wide, 0x7FC0), rounded);
  hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(wide_signed, result)), narrow, reinterpret_cast<std::uint16_t*>(to));
}

HWY_INLINE float to_float(float x) {
  return x;
}

HWY_INLINE float to_float(BFloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

HWY_INLINE void store_float(float x, float* to) {
  *to = x;
}

// By memcpy: softmax writes its bf16 results over the floats they are made of.
HWY_INLINE void store_float(float x, BFloat16* to) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  const auto narrow = static_cast<std::uint16_t>(x != x ? 0x7FC0 : rounded);
  std::memcpy(to, &narrow, sizeof(narrow));
}

// 2^x for x <= 127, relative error below 2e-7. Below -127 it is exactly 0; NaN gives NaN.
template <class D>
HWY_INLINE hn::VFromD<D> exp2(D d, hn::VFromD<D> x) {
  const hn::RebindToSigned<D> di;
  // Adding 1.5 * 2^23 leaves round(x) in the low bits of the sum.
  const auto magic = hn::Set(d, 12582912.0F);
  // The order of the operands matters: where x is NaN, x86's max gives the second.
  x = hn::Max(hn::Set(d, -127.0F), x);
  const auto shifted = hn::Add(x, magic);
  const auto r = hn::Sub(x, hn::Sub(shifted, magic));
  // Minimax polynomial of 2^r on [-1/2, 1/2] with the constant term fixed at 1.
  auto p = hn::Set(d, 1.326472875e-3F);
  p = hn::MulAdd(p, r, hn::Set(d, 9.671513182e-3F));
  p = hn::MulAdd(p, r, hn::Set(d, 5.550733745e-2F));
  p = hn::MulAdd(p, r, hn::Set(d, 2.402224208e-1F));
  p = hn::MulAdd(p, r, hn::Set(d, 6.931469776e-1F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace rhea::ops::cpu
HWY_AFTER_NAMESPACE();
#endif
