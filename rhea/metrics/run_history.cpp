#include "rhea/metrics/run_history.h"

#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/core/log.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace rhea {
namespace {

constexpr std::size_t kNamedBrokenLines = 3;

double number_or_nan(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

void add_point(std::vector<Point>& points, double x, double y) {
  if (std::isfinite(y)) {
    points.push_back({x, y});
  }
}

// False if the line is no metrics line.
bool add_line(RunHistory& run, std::string_view line) {
  const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return false;
  }
  const double step = number_or_nan(object, "step");
  const bool validation = object.contains("validation_loss");
  if (!std::isfinite(step) || (!validation && !object.contains("loss"))) {
    return false;
  }
  if (validation) {
    add_point(run.validation_loss, step, number_or_nan(object, "validation_loss"));
    return true;
  }
  add_point(run.loss, step, number_or_nan(object, "loss"));
  add_point(run.lr, step, number_or_nan(object, "lr"));
  add_point(run.tokens_per_second, step, number_or_nan(object, "tps"));
  return true;
}

std::string name_of(const std::filesystem::path& file) {
  const auto absolute = std::filesystem::absolute(file).lexically_normal();
  const auto name = file.filename() == "metrics.jsonl" ? absolute.parent_path().filename() : absolute.filename();
  return name.empty() ? file.string() : name.string();
}

}  // namespace

RunHistory read_run_history(const std::filesystem::path& run) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(run, error);
  const std::filesystem::path file = is_folder ? run / "metrics.jsonl" : run;
  if (!std::filesystem::exists(file, error)) {
    fail_usage("{}: no such file; expected a run's folder (with metrics.jsonl in it) or a metrics.jsonl file", file.string());
  }
  const std::string bytes = read_file(file);
  RunHistory history;
  history.name = name_of(file);
  std::size_t lines = 0;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++lines;
    if (add_line(history, line) || end == std::string_view::npos) {
      continue;
    }
    if (++history.broken_lines <= kNamedBrokenLines) {
      log_warning("{}:{}: skipped: expected a JSON object with \"step\" and \"loss\" or \"validation_loss\"", file.string(),
                  lines);
    }
  }
  if (history.broken_lines > kNamedBrokenLines) {
    log_warning("{}: {} lines were skipped in all", file.string(), history.broken_lines);
  }
  if (history.loss.empty() && history.validation_loss.empty() && history.lr.empty() && history.tokens_per_second.empty()) {
    fail_usage("{}: nothing to plot: not one of its {} lines has metrics", file.string(), lines);
  }
  for (auto* points : {&history.loss, &history.validation_loss, &history.lr, &history.tokens_per_second}) {
    std::stable_sort(points->begin(), points->end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  }
  return history;
}

}  // namespace rhea
