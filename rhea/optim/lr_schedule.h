// The learning rate schedule: linear warmup, stable, decay.
//
// factor(s), s = 0 for the first step, is what the peak learning rate is multiplied by:
//   s < warmup             (s + 1) / warmup
//   s < warmup + stable    1
//   then                   min + (1 - min) * f(p), p = (s + 1 - warmup - stable) / decay
//                          f: linear 1 - p, sqrt 1 - sqrt(p), cosine (1 + cos(pi p)) / 2
// with stable = total + 1 - warmup - decay: one virtual step more than there are, so that the last step's factor is
// not 0. From `total` on the factor stays at the last step's: a budget in tokens or time may overrun its estimate.
// A value: no state to save beyond the step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rhea {

struct LrScheduleOptions {
  std::int64_t warmup_steps = 200;
  std::optional<double> decay_ratio = std::nullopt;  // share of all steps that decay, [0, 1]; none: everything after the warmup
  std::string decay_type = "linear";                 // "linear", "sqrt" or "cosine"
  double min_lr_factor = 0.0;                        // where the decay ends, [0, 1]
};

class LrSchedule {
 public:
  // total_steps >= 1. A warmup longer than that is cut to it, and a decay that does not fit beside the warmup is
  // shortened, each with a warning. Throws UsageError for values out of range, naming the [lr_scheduler] key.
  LrSchedule(const LrScheduleOptions& options, std::int64_t total_steps);

  // step0 >= 0. In (0, 1], or [min_lr_factor, 1] once it decays.
  double factor(std::int64_t step0) const;

 private:
  enum class Decay { kLinear, kSqrt, kCosine };

  std::int64_t total_, warmup_, stable_, decay_;
  Decay type_;
  double min_factor_;
};

}  // namespace rhea
