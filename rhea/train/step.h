// The optimizer step: the update, or the reason why there is none.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace rhea {

class MixedPrecision;
class Optimizer;
class OutlierGuard;
class ProcessGroup;
struct Progress;
struct StepLosses;

enum class Update {
  kMade,
  kSkippedNoTargets,  // not one valid label in the whole step
  kSkippedOverflow,   // fp16 gradients overflowed; the loss scale shrinks
  kSkippedOutlier,    // the guard found the loss or the gradient norm too far out
};
std::string_view name_of(Update update);

// Updates the weights with the gradients that are there, at the given learning rate, or skips. Adapts the loss scale.
// `guard` may be null.
// Throws Error, before anything is changed, when the loss or the norm is NaN or infinite: training has diverged, and
// nothing bad must reach the weights or a checkpoint.
Update run_optimizer_step(Optimizer& optimizer, double lr, MixedPrecision& precision, OutlierGuard* guard,
                          const StepLosses& losses, const at::Tensor& gradient_norm, ProcessGroup& batch_group,
                          const Progress& progress);

}  // namespace rhea
