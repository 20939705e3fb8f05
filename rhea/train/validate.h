// The loss on a validation set: sum of cross entropy over sum of targets, over the whole set and all ranks.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace rhea {

class DataLoader;
class Model;
class ProcessGroup;

struct ValidationResult {
  double loss = 0.0;         // nats a token
  std::int64_t targets = 0;  // of all ranks
  std::int64_t tokens = 0;   // processed by all ranks, padding counted
  double seconds = 0.0;
};

// One pass (max_steps < 0) or the first max_steps steps of each rank. Starts at the loader's beginning every time.
// Changes nothing in the model. Throws Error when the set has no target.
ValidationResult validate(Model& model, DataLoader& loader, std::int64_t max_steps, ProcessGroup& batch_group, at::Device device,
                          bool document_mask);

}  // namespace rhea
