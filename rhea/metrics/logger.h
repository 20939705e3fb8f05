// Everything that a run says about itself while it trains: console, progress bar, metrics.jsonl, TensorBoard.
//
//   const auto logger = build_logger(options);
//   logger->show_progress(step, share);   // each step
//   logger->log(step_metrics);            // each logged step
//   logger->log(validation_metrics);
//   logger->close();
#pragma once

#include "rhea/metrics/step_metrics.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace rhea {

enum class ShowProgress { kAuto, kOn, kOff };  // kAuto: when standard error is a terminal

struct LoggerOptions {
  int rank = 0;                             // others than 0 write nothing
  std::filesystem::path jsonl;              // metrics.jsonl; empty: none
  std::filesystem::path tensorboard;        // folder for event files; empty: none
  std::optional<std::int64_t> resume_step;  // the run goes on after this step; none: it starts anew
  std::int64_t total_steps = 0;             // for the bar; 0: the run ends by another limit
  ShowProgress progress = ShowProgress::kAuto;
  bool console = true;
  bool colour = true;  // on a terminal, unless NO_COLOR is set
};

class Logger {
 public:
  explicit Logger(const LoggerOptions& options);
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  // Throw Error when a file cannot be written. From one thread.
  void log(const StepMetrics& metrics);
  void log(const ValidationMetrics& metrics);

  // Moves the bar: `share` of the run is done, 0 to 1. Cheap.
  void show_progress(std::int64_t step, double share);

  // Takes the bar away and closes the files. Nothing may be logged afterwards.
  void close();

 private:
  struct Writers;
  std::unique_ptr<Writers> writers_;
};

// Opens what the options choose. Throws Error with the path of what cannot be opened.
std::unique_ptr<Logger> build_logger(const LoggerOptions& options);

}  // namespace rhea
