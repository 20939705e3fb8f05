// metrics.jsonl: one JSON object a line, for scripts and for `rhea plot`.
//
// A logged step:  step, loss, max_loss, grad_norm, lr, tokens, tps, mfu, memory_gib, time, data_wait, skipped
// A validation:   step, validation_loss, validation_tokens, tps, memory_gib, time
// Numbers are written in the shortest form that reads back to the same double; what is not finite or not known is null.
// Units: nats a token, tokens a second and device, GiB, seconds since the start of the run (data_wait: seconds a step).
#pragma once

#include "rhea/metrics/append_file.h"
#include "rhea/metrics/step_metrics.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rhea {

// Without an end of line.
std::string json_line(const StepMetrics& metrics);
std::string json_line(const ValidationMetrics& metrics);

class JsonlWriter {
 public:
  // Without `resume_step` the file starts anew. With it, the run goes on after that step: complete lines of steps up to
  // it are kept; later ones and a torn last line, left by a run that was killed, are dropped (the file is replaced
  // atomically). A line in the middle that is no metrics line is dropped with a warning that names it.
  // Throws Error with the path when the file cannot be read or written.
  JsonlWriter(std::filesystem::path path, std::optional<std::int64_t> resume_step);

  // Handed to the system before it returns: a killed program loses no line. Throws Error (full disk).
  void write(const StepMetrics& metrics) { file_.append(json_line(metrics) + "\n"); }
  void write(const ValidationMetrics& metrics) { file_.append(json_line(metrics) + "\n"); }

 private:
  AppendFile file_;
};

// The lines of `text` that a run resumed at `step` keeps. `name` is the file's, for warnings.
std::string lines_up_to_step(std::string_view text, std::int64_t step, std::string_view name);

}  // namespace rhea
