// The text of the progress bar, and how long it is still going to take. No terminal here: see progress_bar.h.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace rhea {

struct ProgressStatus {
  std::int64_t step = 0;
  std::int64_t total_steps = 0;  // 0: the run ends by another limit (tokens, time), only the share is shown
  double share = 0.0;            // of the nearest limit, 0 to 1
  double loss = 0.0;             // of the last logged step; NaN: none yet
  double tokens_per_second = 0.0;
  double seconds_left = -1.0;  // below 0: not known yet
};

// One line of at most `width` columns, without an end of line:
// " 42% ████▏      420/1000  loss 2.7475  2,330 tok/s  ETA 1:02:03". A narrow line loses the bar first, then its middle.
std::string progress_line(const ProgressStatus& status, int width);

// 3723 as "1:02:03", 62 as "1:02", 200000 as "2d 7:33:20"; "--:--" when below 0 or not finite.
std::string clock_text(double seconds);

// The text cut to `width` columns with "…" in the middle. UTF-8; one column a code point.
std::string elide_middle(std::string_view text, int width);

// Time that is left, from the median pace of the last steps: a slow first step or a pause to save does not spoil it.
class TimeLeft {
 public:
  // `share` of the work is done at time `now` (any clock, seconds).
  void update(double share, double now);
  // Below 0: not known yet.
  double seconds(double share) const;

 private:
  double last_share_ = 0.0;
  double last_now_ = 0.0;
  bool started_ = false;
  std::deque<double> seconds_per_share_;
};

}  // namespace rhea
