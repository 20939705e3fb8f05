// Whether a tensor's slices make up the tensor.
#pragma once

#include <string>

#include "rhea/checkpoint/index.h"

namespace rhea {

// Throws Error beginning with `place` unless the slices lie inside the tensor and cover each element exactly once.
void check_coverage(const TensorRecord& tensor, const std::string& place);

}  // namespace rhea
