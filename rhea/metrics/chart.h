// What a chart shows, however it is drawn: lines of points, and axes with round numbers on them.
#pragma once

#include "rhea/metrics/run_history.h"

#include <span>
#include <string>
#include <vector>

namespace rhea {

struct Line {
  std::string label;
  std::vector<Point> points;  // all finite, in order of x
  bool joined = true;         // false: marks without a line between them
};

struct Chart {
  std::string title;
  std::vector<Line> lines;
};

struct Axis {
  double low = 0.0;  // the range that is shown, a little more than the data's
  double high = 1.0;
  std::vector<double> ticks;        // round numbers (1, 2, 5 times a power of ten) inside the range, ascending
  std::vector<std::string> labels;  // one a tick, all with as many digits as tell them apart
};

// An axis over [low, high] with about `wanted` ticks. Equal or not finite bounds are widened to something that can be drawn.
Axis make_axis(double low, double high, int wanted);

// The axes that hold every point of the chart. `margin` is the share of the data's height left free above and below it.
Axis x_axis(const Chart& chart, int wanted);
Axis y_axis(const Chart& chart, int wanted, double margin = 0.04);

// Loss, validation loss, learning rate and tokens per second of the runs, one line a run. Charts without points stay in.
std::vector<Chart> run_charts(std::span<const RunHistory> runs);

}  // namespace rhea
