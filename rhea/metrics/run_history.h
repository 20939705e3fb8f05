// A run's metrics.jsonl, read back for plots.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace rhea {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct RunHistory {
  std::string name;  // the folder's or file's, as it is shown in legends
  // x is the step. Steps whose value is null (not finite, not known) have no point.
  std::vector<Point> loss;
  std::vector<Point> validation_loss;
  std::vector<Point> lr;
  std::vector<Point> tokens_per_second;
  std::size_t broken_lines = 0;
};

// `run` is a run's folder or its metrics.jsonl. Broken lines are skipped with a warning that names file and line; only
// a torn last line, which a running program leaves, goes unmentioned. Throws UsageError when there is no such file or
// not one line of it has metrics.
RunHistory read_run_history(const std::filesystem::path& run);

}  // namespace rhea
