// Which instruction sets our kernels are compiled for; include before hwy/foreach_target.h.
//
// Left out: vectors of unknown length, which cannot be kept in arrays, and sets that give our kernels nothing beyond the next
// lower one but compile time (AVX3_DL's additions are for integers and cryptography; SSSE3 alone is older than AVX2 by far).
#pragma once

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): Highway reads it
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_AVX3_DL | HWY_SSSE3)
