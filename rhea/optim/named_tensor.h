// Tensors with names: how parameters, optimizer state and checkpoints are addressed.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

using TensorMap = std::map<std::string, at::Tensor>;

// Copies source[name] into each destination tensor (any device; dtypes are converted), all or nothing: first every
// name and shape is compared, and an Error lists all that is missing, unexpected or of another shape (the first ten
// of each kind, and how many). `source_name` says in the message where the source came from ("step-100, model").
void check_and_copy(const TensorMap& source, std::span<const NamedTensor> destination, std::string_view source_name);

}  // namespace rhea
