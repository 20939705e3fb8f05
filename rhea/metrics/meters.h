// Throughput over the steps between two log lines: tokens, time and waiting all belong to the same steps.
#pragma once

#include <cstdint>

namespace rhea {

// Seconds of a clock that never goes back.
double monotonic_seconds();

struct ThroughputWindow {
  std::int64_t steps = 0;
  std::int64_t tokens = 0;
  double seconds = 0.0;            // training only: what was excluded is not in it
  double data_wait_seconds = 0.0;  // the sum over the window

  double tokens_per_second() const { return seconds > 0.0 ? static_cast<double>(tokens) / seconds : 0.0; }
  double step_seconds() const { return steps > 0 ? seconds / static_cast<double>(steps) : 0.0; }
  double step_data_wait_seconds() const { return steps > 0 ? data_wait_seconds / static_cast<double>(steps) : 0.0; }
};

//   ThroughputMeter meter(monotonic_seconds());
//   ... each step: meter.add_step(tokens, waited);
//   ... after validation or anything else that is no training: meter.exclude(seconds);
//   ... when logging: const ThroughputWindow window = meter.take_window(monotonic_seconds());
//
// Times are given by the caller: seconds of one clock.
class ThroughputMeter {
 public:
  explicit ThroughputMeter(double now) : window_start_(now) {}

  void add_step(std::int64_t tokens, double data_wait_seconds);
  void exclude(double seconds) { excluded_ += seconds; }

  // The window's figures; a new one starts. Divided by the steps really made in it, so the first line is right too.
  ThroughputWindow take_window(double now);

 private:
  ThroughputWindow window_;
  double window_start_;
  double excluded_ = 0.0;
};

}  // namespace rhea
