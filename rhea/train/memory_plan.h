// How much memory a training step takes on one rank, by kind, from the shape alone: printed before anything is
// allocated and set beside the measured peak afterwards.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>

namespace rhea {

class Model;
struct PretrainConfig;

struct MemoryPlan {
  std::int64_t weights = 0;  // bytes each
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;
  std::int64_t activations = 0;  // kept for backward at its start, of one microbatch
  std::int64_t total() const { return weights + gradients + optimizer + activations; }
};

struct MemoryPlanOptions {
  std::int64_t local_batch_size = 8;
  std::int64_t seq_len = 2048;
  at::ScalarType compute_dtype = at::kFloat;
  std::int64_t recompute_every = 0;  // as Model::set_recompute_every
  std::int64_t optimizer_slots = 2;  // fp32 values an optimizer keeps for each weight: AdamW 2, SGD with momentum 1
};

MemoryPlan plan_memory(const Model& model, const MemoryPlanOptions& options);

// What the configuration means for it.
MemoryPlanOptions memory_plan_options(const PretrainConfig& config, const Model& model);

// "weights 0.02 + gradients 0.02 + optimizer 0.05 + activations 0.70 = 0.79 GiB"
std::string to_line(const MemoryPlan& plan);

}  // namespace rhea
