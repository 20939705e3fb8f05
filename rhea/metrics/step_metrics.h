// What one logged step, or one validation pass, has to say. Rank 0 fills it in; every writer takes it as it is.
#pragma once

#include <cstdint>

namespace rhea {

// "The window" is the steps since the last logged one (meters.h).
struct StepMetrics {
  std::int64_t step = 0;           // of the update that was just made; the first is 1
  double loss = 0.0;               // nats a token, mean over all valid labels of this step and all ranks
  double max_loss = 0.0;           // the largest of the ranks' own means
  double grad_norm = 0.0;          // of the whole gradient, before clipping
  double lr = 0.0;                 // the one that this step used
  std::int64_t tokens = 0;         // seen by all ranks since the start of the run
  double tokens_per_second = 0.0;  // per device, over the window
  double tflops = 0.0;             // model FLOP/s per device / 1e12, over the window
  double mfu = -1.0;               // model FLOP/s by the device's peak, 0 to 1; below 0: the peak is not known
  double memory_gib = 0.0;         // peak of the window on this device (CPU: resident memory of the process)
  double memory_share = 0.0;       // the same by the device's memory, 0 to 1
  double step_seconds = 0.0;       // a step's mean duration over the window
  double data_wait_seconds = 0.0;  // of it, a step's mean time spent waiting for data
  double seconds = 0.0;            // training time since the start of the run, all resumes together
  std::int64_t skipped_steps = 0;  // steps without an update since the start of the run
};

struct ValidationMetrics {
  std::int64_t step = 0;           // updates made before this pass
  double loss = 0.0;               // nats a token, sum of losses by number of tokens over the whole set
  std::int64_t tokens = 0;         // valid labels in the pass
  double tokens_per_second = 0.0;  // per device, over the pass
  double memory_gib = 0.0;
  double memory_share = 0.0;
  double seconds = 0.0;  // training time since the start of the run, as in StepMetrics
};

}  // namespace rhea
