// The element types of our CPU kernels: float, and bf16 as its bits.
#pragma once

#include <cstdint>

namespace rhea::ops::cpu {

// The upper half of a float. Layout-compatible with at::BFloat16, whose header the kernels do without.
struct BFloat16 {
  std::uint16_t bits;
};

}  // namespace rhea::ops::cpu
