// Charts as text: lines in braille dots (2 by 4 a character), axes with ticks, a legend.
#pragma once

#include "rhea/metrics/chart.h"

#include <string>

namespace rhea {

struct TerminalPlotOptions {
  int width = 80;   // columns, 24 to 1000
  int height = 16;  // rows, with title and axes, 6 to 1000
  bool colour = false;
};

// Lines of text, each ended by "\n". Without colour the lines of several runs are told apart by the legend's order only
// where they do not touch; give the runs their own charts then. Throws UsageError for a size out of range.
std::string terminal_plot(const Chart& chart, const TerminalPlotOptions& options);

}  // namespace rhea
