// How far a run has come, how far it may go, and whether to go on.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace rhea {

struct Progress {
  std::int64_t step = 0;           // steps made (skipped ones counted)
  std::int64_t schedule_step = 0;  // place in the learning-rate schedule: step, unless the schedule was started anew
  std::int64_t tokens = 0;         // processed by all ranks
  double flops = 0.0;              // spent by all ranks, by the model's causal formula
  double seconds = 0.0;            // training time, earlier parts of a resumed run included
  double loss = std::numeric_limits<double>::infinity();  // token mean of the last step whose global loss was computed
  std::int64_t skipped_steps = 0;                         // steps without an update
};

// Limits; 0 means none. Training ends with the first that is reached.
struct Budget {
  std::int64_t steps = 0;
  std::int64_t tokens = 0;
  double flops = 0.0;
  double seconds = 0.0;
  double target_loss = 0.0;
};

// True while no limit is reached. All ranks must give the same progress.
bool should_continue_training(const Progress& progress, const Budget& budget);

// Which limit was reached, for people: "training.steps = 100".
std::string reason_to_stop(const Progress& progress, const Budget& budget);

// The share of the nearest limit that is used up, 0 to 1; for progress bars.
double share_done(const Progress& progress, const Budget& budget);

}  // namespace rhea
