#include "rhea/train/memory_plan.h"

#include "rhea/models/model.h"

#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include <utility>

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

std::string to_table(const MemoryPlan& plan) {
  std::string table = "memory a rank, planned      GiB\n";
  const std::pair<const char*, std::int64_t> rows[] = {{"weights", plan.weights},
                                                       {"gradients", plan.gradients},
                                                       {"optimizer", plan.optimizer},
                                                       {"activations", plan.activations},
                                                       {"total", plan.total()}};
  for (const auto& [kind, bytes] : rows) {
    table += fmt::format("  {:<20} {:>8.2f}\n", kind, static_cast<double>(bytes) / (1 << 30));
  }
  return table;
}

}  // namespace rhea
