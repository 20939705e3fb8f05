// Counting a step, alike on every rank.
#pragma once

#include "rhea/train/step.h"

#include <chrono>
#include <cstdint>

namespace rhea {

class Model;
class ProcessGroup;
struct Progress;
struct StepLosses;

// Adds up training time across the parts of a resumed run.
class TrainingClock {
 public:
  explicit TrainingClock(double seconds_before) : before_(seconds_before) {}
  double seconds() const { return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  double before_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Enters a step into progress: tokens and FLOPs of all ranks, the time of the slowest rank. Warns of a skipped update.
void advance(Progress& progress, const StepLosses& losses, Update update, const Model& model, std::int64_t seq_len,
             const TrainingClock& clock, ProcessGroup& batch_group);

// Whether any rank was asked to stop (SIGINT, SIGTERM): all ranks must leave the loop after the same step.
bool stop_requested_anywhere(ProcessGroup& group);

}  // namespace rhea
