#include "rhea/metrics/meters.h"

#include <algorithm>
#include <chrono>

namespace rhea {

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void ThroughputMeter::add_step(std::int64_t tokens, double data_wait_seconds) {
  ++window_.steps;
  window_.tokens += tokens;
  window_.data_wait_seconds += data_wait_seconds;
}

ThroughputWindow ThroughputMeter::take_window(double now) {
  ThroughputWindow window = window_;
  window.seconds = std::max(0.0, now - window_start_ - excluded_);
  window_ = {};
  window_start_ = now;
  excluded_ = 0.0;
  return window;
}

}  // namespace rhea
