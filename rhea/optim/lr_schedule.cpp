#include "rhea/optim/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rhea/core/error.h"
#include "rhea/core/log.h"

namespace rhea {
namespace {

void check(const LrScheduleOptions& options, std::int64_t total_steps) {
  if (total_steps < 1) {
    fail_usage("lr_scheduler: expected at least one step in total, found {}", total_steps);
  }
  if (options.warmup_steps < 0) {
    fail_usage("lr_scheduler.warmup_steps: expected 0 or more, found {}", options.warmup_steps);
  }
  if (options.decay_ratio && !(*options.decay_ratio >= 0 && *options.decay_ratio <= 1)) {
    fail_usage("lr_scheduler.decay_ratio: expected a number in [0, 1], found {}", *options.decay_ratio);
  }
  if (!(options.min_lr_factor >= 0 && options.min_lr_factor <= 1)) {
    fail_usage("lr_scheduler.min_lr_factor: expected a number in [0, 1], found {}", options.min_lr_factor);
  }
}

}  // namespace

LrSchedule::LrSchedule(const LrScheduleOptions& options, std::int64_t total_steps) : total_(total_steps) {
  check(options, total_steps);
  min_factor_ = options.min_lr_factor;
  if (options.decay_type == "linear") {
    type_ = Decay::kLinear;
  } else if (options.decay_type == "sqrt") {
    type_ = Decay::kSqrt;
  } else if (options.decay_type == "cosine") {
    type_ = Decay::kCosine;
  } else {
    fail_usage("lr_scheduler.decay_type: expected \"linear\", \"sqrt\" or \"cosine\", found \"{}\"", options.decay_type);
  }

  warmup_ = options.warmup_steps;
  if (warmup_ > total_) {
    log_warning("lr_scheduler.warmup_steps = {} is more than the {} steps of the run: the warmup is cut to {}", warmup_, total_,
                total_);
    warmup_ = total_;
  }
  decay_ = total_ - warmup_;
  if (options.decay_ratio) {
    // Halves to even, as Python's round().
    const auto asked = static_cast<std::int64_t>(std::nearbyint(static_cast<double>(total_) * *options.decay_ratio));
    if (asked > decay_) {
      log_warning(
          "lr_scheduler: {} warmup steps and {} decay steps are more than the {} steps of the run: the decay is cut to {}",
          warmup_, asked, total_, decay_);
    }
    decay_ = std::min(asked, decay_);
  }
  stable_ = total_ + 1 - warmup_ - decay_;
}

double LrSchedule::factor(std::int64_t step0) const {
  const std::int64_t step = std::min(step0, total_ - 1);
  if (step < warmup_) {
    return static_cast<double>(step + 1) / static_cast<double>(warmup_);
  }
  if (step < warmup_ + stable_) {
    return 1.0;
  }
  const double progress = static_cast<double>(step + 1 - (warmup_ + stable_)) / static_cast<double>(decay_);
  double shape = 1.0;
  switch (type_) {
    case Decay::kLinear: shape = 1.0 - progress; break;
    case Decay::kSqrt: shape = 1.0 - std::sqrt(progress); break;
    case Decay::kCosine: shape = 0.5 * (1.0 + std::cos(std::numbers::pi * progress)); break;
  }
  return min_factor_ + (1.0 - min_factor_) * shape;
}

}  // namespace rhea
