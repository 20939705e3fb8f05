#include "rhea/train/advance.h"

#include "rhea/core/log.h"
#include "rhea/core/stop_signal.h"
#include "rhea/distributed/process_group.h"
#include "rhea/models/model.h"
#include "rhea/train/gradients.h"
#include "rhea/train/progress.h"

namespace rhea {

void advance(Progress& progress, const StepLosses& losses, Update update, const Model& model, std::int64_t seq_len,
             const TrainingClock& clock, ProcessGroup& batch_group) {
  const std::int64_t tokens = all_reduce(batch_group, losses.tokens, ReduceOp::kSum);
  progress.step += 1;
  progress.schedule_step += 1;
  progress.tokens += tokens;
  progress.flops += static_cast<double>(tokens) * static_cast<double>(model.causal_flops_per_token(seq_len));
  progress.seconds = all_reduce(batch_group, clock.seconds(), ReduceOp::kMax);
  if (update != Update::kMade) {
    progress.skipped_steps += 1;
    log_warning("step {}: update {} ({} so far)", progress.step, name_of(update), progress.skipped_steps);
  }
}

bool stop_requested_anywhere(ProcessGroup& group) {
  return all_reduce(group, static_cast<std::int64_t>(stop_requested() ? 1 : 0), ReduceOp::kMax) != 0;
}

}  // namespace rhea
