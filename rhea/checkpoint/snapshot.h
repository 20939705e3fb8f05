// What a checkpoint holds.
#pragma once

#include <string>

#include "rhea/optim/named_tensor.h"

namespace rhea {

struct Snapshot {
  TensorMap model;                 // parameters and buffers by name
  TensorMap optimizer;             // Optimizer::state(); empty: a model-only checkpoint
  std::string values_json = "{}";  // one JSON object: progress, data position, random state, ...; numbers must be finite
  std::string config_toml;         // the run's resolved configuration
};

}  // namespace rhea
