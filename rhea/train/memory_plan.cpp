#include "rhea/train/memory_plan.h"

#include "rhea/config/pretrain_config.h"
#include "rhea/models/model.h"
#include "rhea/train/build.h"

#include <c10/core/ScalarType.h>
#include <fmt/format.h>

namespace rhea {
namespace {

// Values that one layer keeps for each token: the inputs of its two norms, their outputs (the inputs of the products),
// query, key and value before and after the attention kernel saves them, the attention's output, gate, up and their
// product.
std::int64_t kept_by_layer(const ModelShape& shape) {
  const std::int64_t kv_dim = shape.kv_heads * (shape.dim / shape.heads);
  const std::int64_t attention = 3 * shape.dim + (shape.dim + 2 * kv_dim);
  const std::int64_t feed_forward = 2 * shape.dim + 3 * shape.hidden_dim;
  return attention + feed_forward;
}

}  // namespace

MemoryPlan plan_memory(const Model& model, const MemoryPlanOptions& options) {
  const ModelShape& shape = model.shape();
  const std::int64_t parameters = model.num_parameters();
  const std::int64_t tokens = options.local_batch_size * options.seq_len;
  const auto value_bytes = static_cast<std::int64_t>(c10::elementSize(options.compute_dtype));
  constexpr std::int64_t kMasterBytes = 4;

  MemoryPlan plan;
  plan.weights = parameters * kMasterBytes;
  plan.gradients = parameters * kMasterBytes;
  plan.optimizer = parameters * kMasterBytes * options.optimizer_slots;
  const std::int64_t recomputed =
      options.recompute_every > 0 ? (shape.layers + options.recompute_every - 1) / options.recompute_every : 0;
  const std::int64_t kept = (shape.layers - recomputed) * kept_by_layer(shape) + recomputed * shape.dim + 2 * shape.dim;
  plan.activations = tokens * kept * value_bytes;
  return plan;
}

MemoryPlanOptions memory_plan_options(const PretrainConfig& config, const Model& model) {
  const bool is_adam = config.optimizer.name == "AdamW";
  return {.local_batch_size = config.training.local_batch_size,
          .seq_len = config.training.seq_len,
          .compute_dtype = model.compute_dtype(),
          .recompute_every = recompute_every(config.activation_checkpoint),
          .optimizer_slots = is_adam                         ? 2
                             : config.optimizer.momentum > 0 ? 1
                                                             : 0};
}

std::string to_line(const MemoryPlan& plan) {
  const auto gib = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); };
  return fmt::format("weights {:.2f} + gradients {:.2f} + optimizer {:.2f} + activations {:.2f} = {:.2f} GiB", gib(plan.weights),
                     gib(plan.gradients), gib(plan.optimizer), gib(plan.activations), gib(plan.total()));
}

}  // namespace rhea
