#include "rhea/train/losses.h"

#include "rhea/distributed/process_group.h"
#include "rhea/train/gradients.h"

#include <limits>

namespace rhea {

GlobalLosses compute_global_losses(const StepLosses& losses, ProcessGroup& batch_group) {
  const double local_sum = losses.loss_sum.item<double>();
  const double local_mean =
      losses.valid_labels > 0 ? local_sum / static_cast<double>(losses.valid_labels) : -std::numeric_limits<double>::infinity();
  GlobalLosses global;
  global.mean = losses.global_valid_labels > 0
                    ? all_reduce(batch_group, local_sum, ReduceOp::kSum) / static_cast<double>(losses.global_valid_labels)
                    : std::numeric_limits<double>::quiet_NaN();
  global.max = all_reduce(batch_group, local_mean, ReduceOp::kMax);
  return global;
}

}  // namespace rhea
