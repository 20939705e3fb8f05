#include "rhea/checkpoint/coverage.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "rhea/checkpoint/shape.h"
#include "rhea/core/error.h"

namespace rhea {
namespace {

std::string describe(const Slice& slice) {
  return fmt::format("[{}] at [{}]", fmt::join(slice.shape, ", "), fmt::join(slice.offset, ", "));
}

bool overlap(const Slice& a, const Slice& b) {
  for (std::size_t d = 0; d < a.shape.size(); ++d) {
    if (a.offset[d] + a.shape[d] <= b.offset[d] || b.offset[d] + b.shape[d] <= a.offset[d]) {
      return false;
    }
  }
  return true;
}

void check_inside(const Slice& slice, const std::vector<std::int64_t>& shape, const std::string& place) {
  bool inside = slice.offset.size() == shape.size() && slice.shape.size() == shape.size();
  for (std::size_t d = 0; inside && d < shape.size(); ++d) {
    inside = slice.offset[d] <= shape[d] && slice.shape[d] <= shape[d] - slice.offset[d];
  }
  if (!inside) {
    fail("{}: the slice {} does not lie in the shape [{}]", place, describe(slice), fmt::join(shape, ", "));
  }
}

}  // namespace

void check_coverage(const TensorRecord& tensor, const std::string& place) {
  const auto total = checked_numel(tensor.shape);
  if (!total) {
    fail("{}: the shape [{}] has more than 2^63 elements", place, fmt::join(tensor.shape, ", "));
  }
  std::vector<const Slice*> slices;
  std::uint64_t covered = 0;
  for (const Slice& slice : tensor.slices) {
    check_inside(slice, tensor.shape, place);
    // Inside a shape that fits into 63 bits, so it fits too. The sum may wrap only when slices overlap.
    const std::uint64_t elements = *checked_numel(slice.shape);
    covered += elements;
    if (elements > 0) {
      slices.push_back(&slice);
    }
  }
  // In the order of the first dimension, only slices that meet in it can overlap.
  std::sort(slices.begin(), slices.end(), [](const Slice* a, const Slice* b) { return a->offset < b->offset; });
  for (std::size_t i = 0; i < slices.size(); ++i) {
    for (std::size_t j = i + 1; j < slices.size(); ++j) {
      if (!tensor.shape.empty() && slices[j]->offset[0] >= slices[i]->offset[0] + slices[i]->shape[0]) {
        break;
      }
      if (overlap(*slices[i], *slices[j])) {
        fail("{}: the slices {} and {} overlap", place, describe(*slices[i]), describe(*slices[j]));
      }
    }
  }
  if (covered != *total) {
    fail("{}: the slices hold {} of the {} elements of the shape [{}]", place, covered, *total, fmt::join(tensor.shape, ", "));
  }
}

}  // namespace rhea
