#include "rhea/metrics/jsonl_writer.h"

#include "rhea/core/files.h"
#include "rhea/core/log.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace rhea {
namespace {

class ObjectLine {
 public:
  void add(std::string_view key, std::int64_t value) { add_text(key, fmt::format("{}", value)); }
  void add(std::string_view key, double value) { add_text(key, std::isfinite(value) ? fmt::format("{}", value) : "null"); }
  std::string take() { return line_ + "}"; }

 private:
  void add_text(std::string_view key, std::string_view value) {
    line_ += fmt::format("{}\"{}\":{}", line_.empty() ? "{" : ",", key, value);
  }
  std::string line_;
};

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::optional<std::int64_t> step_of(std::string_view line) {
  const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("step") || !object["step"].is_number_integer()) {
    return std::nullopt;
  }
  return object["step"].get<std::int64_t>();
}

std::filesystem::path prepared(std::filesystem::path path, std::optional<std::int64_t> resume_step) {
  const bool resumes = resume_step.has_value() && std::filesystem::exists(path);
  const std::string old = resumes ? read_file(path) : "";
  write_file_atomically(path, resumes ? lines_up_to_step(old, *resume_step, path.string()) : "");
  return path;
}

}  // namespace

std::string json_line(const StepMetrics& m) {
  ObjectLine line;
  line.add("step", m.step);
  line.add("loss", m.loss);
  line.add("max_loss", m.max_loss);
  line.add("grad_norm", m.grad_norm);
  line.add("lr", m.lr);
  line.add("tokens", m.tokens);
  line.add("tps", m.tokens_per_second);
  line.add("mfu", m.mfu < 0.0 ? kUnknown : m.mfu);
  line.add("memory_gib", m.memory_gib);
  line.add("time", m.seconds);
  line.add("data_wait", m.data_wait_seconds);
  line.add("skipped", m.skipped_steps);
  return line.take();
}

std::string json_line(const ValidationMetrics& m) {
  ObjectLine line;
  line.add("step", m.step);
  line.add("validation_loss", m.loss);
  line.add("validation_tokens", m.tokens);
  line.add("tps", m.tokens_per_second);
  line.add("memory_gib", m.memory_gib);
  line.add("time", m.seconds);
  return line.take();
}

std::string lines_up_to_step(std::string_view text, std::int64_t step, std::string_view name) {
  std::string kept;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      break;  // torn: its writer was killed
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::optional<std::int64_t> at = step_of(line);
    if (!at) {
      log_warning("{}:{}: dropped on resuming: expected a JSON object with an integer \"step\"", name, number);
    } else if (*at <= step) {
      kept.append(line).append("\n");
    }
  }
  return kept;
}

JsonlWriter::JsonlWriter(std::filesystem::path path, std::optional<std::int64_t> resume_step)
    : file_(prepared(std::move(path), resume_step), AppendMode::kExtend) {}

}  // namespace rhea
