// Shapes that come from files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace rhea {

// Elements of the shape (sizes >= 0), or nothing when they do not fit into 63 bits. A size of 0 does not hide an
// overflow: strides are computed from the other sizes.
inline std::optional<std::uint64_t> checked_numel(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(size, 1), &product)) {
      return std::nullopt;
    }
  }
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? static_cast<std::uint64_t>(product) : 0;
}

}  // namespace rhea
