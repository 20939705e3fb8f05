// One status line at the bottom of a terminal that rewrites itself while log lines scroll above it.
//
// Nothing can be left broken: the cursor is never hidden and no mode of the terminal is changed; each change is a single
// write of a whole line; log lines (rhea/core/log.h) take the bar away and bring it back. A killed program leaves one line.
#pragma once

#include "rhea/metrics/progress_line.h"

#include <mutex>
#include <string>

namespace rhea {

class ProgressBar {
 public:
  // Draws on `descriptor`, which is standard error for programs, where log lines go too. At most one bar at a time
  // hears of log lines: the last one made.
  explicit ProgressBar(int descriptor);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();  // as close()

  // Shows the status at time `now` (seconds, any clock); seconds_left is filled in here. Redraws ten times a second at
  // most, so it may be called for every step. From one thread, while any may log.
  void update(ProgressStatus status, double now);

  // Clears the line. Nothing is drawn afterwards.
  void close();

 private:
  void write_line(const std::string& line) const;
  const int descriptor_;
  std::mutex mutex_;  // held while another's line is being written, too
  TimeLeft time_left_;
  std::string text_;
  double drawn_at_ = 0.0;
  bool drawn_ = false;
  bool closed_ = false;
};

// Columns of the terminal, 80 if it does not say.
int terminal_width(int descriptor);

}  // namespace rhea
