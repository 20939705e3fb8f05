// The loss of the whole step over all ranks. Costs a message, so it is computed only when somebody looks at it.
#pragma once

namespace rhea {

class ProcessGroup;
struct StepLosses;

struct GlobalLosses {
  double mean = 0.0;  // token mean over the whole step; NaN where the step had no target at all
  double max = 0.0;   // the largest token mean of a single rank (ranks without targets do not count)
};

GlobalLosses compute_global_losses(const StepLosses& losses, ProcessGroup& batch_group);

}  // namespace rhea
