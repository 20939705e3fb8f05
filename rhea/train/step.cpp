#include "rhea/train/step.h"

#include "rhea/core/error.h"
#include "rhea/core/log.h"
#include "rhea/distributed/process_group.h"
#include "rhea/optim/optimizer.h"
#include "rhea/optim/outlier_guard.h"
#include "rhea/train/gradients.h"
#include "rhea/train/losses.h"
#include "rhea/train/mixed_precision.h"
#include "rhea/train/progress.h"

#include <cmath>

namespace rhea {
namespace {

// The rank whose own loss is not finite says so itself; the norm is global and the same everywhere.
void require_finite(const StepLosses& losses, double norm, std::int64_t step, ProcessGroup& group) {
  const double loss_sum = losses.loss_sum.item<double>();
  const bool bad_here = !std::isfinite(loss_sum);
  const std::int64_t worst = all_reduce(group, static_cast<std::int64_t>(bad_here ? group.rank() : -1), ReduceOp::kMax);
  if (worst < 0 && std::isfinite(norm)) {
    return;
  }
  const char* advice =
      "No weight was changed and nothing was saved in this step. Lower optimizer.lr, lengthen "
      "lr_scheduler.warmup_steps or set training.max_norm, and resume from the last checkpoint.";
  if (worst >= 0) {
    fail("step {}: the loss of rank {} is {}. {}", step, worst, bad_here ? loss_sum : NAN, advice);
  }
  fail("step {}: the gradient norm is {}. {}", step, norm, advice);
}

}  // namespace

std::string_view name_of(Update update) {
  switch (update) {
    case Update::kMade: return "made";
    case Update::kSkippedNoTargets: return "skipped: no valid label in the whole step";
    case Update::kSkippedOverflow: return "skipped: fp16 gradients overflowed, the loss scale shrinks";
    case Update::kSkippedOutlier: return "skipped: the loss or the gradient norm is an outlier";
  }
  return "";
}

Update run_optimizer_step(Optimizer& optimizer, double lr, MixedPrecision& precision, OutlierGuard* guard,
                          const StepLosses& losses, const at::Tensor& gradient_norm, ProcessGroup& batch_group,
                          const Progress& progress) {
  if (losses.global_valid_labels == 0) {
    return Update::kSkippedNoTargets;
  }
  if (precision.found_overflow()) {
    precision.update();
    return Update::kSkippedOverflow;
  }
  const double norm = gradient_norm.item<double>();
  require_finite(losses, norm, progress.step + 1, batch_group);
  // The guard's losses are the global ones, so that all ranks decide alike.
  if (guard != nullptr && guard->is_outlier(compute_global_losses(losses, batch_group).mean, norm)) {
    precision.update();
    return Update::kSkippedOutlier;
  }
  optimizer.step(lr);
  precision.update();
  return Update::kMade;
}

}  // namespace rhea
