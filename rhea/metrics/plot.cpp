#include "rhea/metrics/plot.h"

#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/metrics/svg_plot.h"

#include <algorithm>

namespace rhea {
namespace {

std::vector<RunHistory> read_runs(std::span<const std::filesystem::path> runs) {
  if (runs.empty()) {
    fail_usage("plot: which runs? Give at least one run's folder or metrics.jsonl");
  }
  std::vector<RunHistory> histories;
  for (const std::filesystem::path& run : runs) {
    histories.push_back(read_run_history(run));
  }
  return histories;
}

bool has_points(const Chart& chart) {
  return std::any_of(chart.lines.begin(), chart.lines.end(), [](const Line& line) { return !line.points.empty(); });
}

}  // namespace

std::string plot_runs(std::span<const std::filesystem::path> runs, const TerminalPlotOptions& options) {
  std::string text;
  for (const Chart& chart : run_charts(read_runs(runs))) {
    if (has_points(chart)) {
      text += terminal_plot(chart, options);
    }
  }
  return text;
}

void plot_runs_to_svg(std::span<const std::filesystem::path> runs, const std::filesystem::path& svg) {
  const std::vector<Chart> charts = run_charts(read_runs(runs));
  const std::string title = runs.size() == 1 ? charts.front().lines.front().label : fmt::format("{} runs", runs.size());
  write_file_atomically(svg, svg_plot(charts, title));
}

std::string terminal_loss_plot(const std::filesystem::path& metrics_jsonl, bool colour) {
  RunHistory run = read_run_history(metrics_jsonl);
  const bool validated = !run.validation_loss.empty();
  Chart chart{validated ? "" : "loss", {}};
  chart.lines.push_back({.label = validated ? "loss" : run.name, .points = std::move(run.loss)});
  if (validated) {
    chart.lines.push_back({.label = "validation loss", .points = std::move(run.validation_loss), .joined = false});
  }
  return terminal_plot(chart, {.width = 60, .height = 12, .colour = colour});
}

}  // namespace rhea
