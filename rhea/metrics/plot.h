// `rhea plot RUN...`: the curves of runs, in the terminal and as an SVG file.
#pragma once

#include "rhea/metrics/terminal_plot.h"

#include <filesystem>
#include <span>
#include <string>

namespace rhea {

// Loss, validation loss, learning rate and tokens per second of the runs (folders or metrics.jsonl files), one below
// the other; charts that no run has points for are left out. Throws UsageError naming the run that cannot be read.
std::string plot_runs(std::span<const std::filesystem::path> runs, const TerminalPlotOptions& options);

// The same as a picture of four panels, written to `svg`. Throws Error when it cannot be written.
void plot_runs_to_svg(std::span<const std::filesystem::path> runs, const std::filesystem::path& svg);

// The loss and, if there is one, the validation loss of one run in one small chart (60 by 12): shown at the end of a run.
std::string terminal_loss_plot(const std::filesystem::path& metrics_jsonl, bool colour);

}  // namespace rhea
