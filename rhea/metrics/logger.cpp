#include "rhea/metrics/logger.h"

#include "rhea/core/log.h"
#include "rhea/metrics/console.h"
#include "rhea/metrics/jsonl_writer.h"
#include "rhea/metrics/meters.h"
#include "rhea/metrics/progress_bar.h"
#include "rhea/metrics/tensorboard_writer.h"

#include <unistd.h>

#include <limits>

namespace rhea {
namespace {

bool shows_progress(ShowProgress wish) {
  return wish == ShowProgress::kOn || (wish == ShowProgress::kAuto && isatty(STDERR_FILENO) != 0);
}

}  // namespace

struct Logger::Writers {
  bool console = false;
  bool colour = false;
  std::optional<JsonlWriter> jsonl;
  std::optional<TensorboardWriter> tensorboard;
  std::optional<ProgressBar> bar;
  ProgressStatus status;

  template <class Metrics>
  void log(const Metrics& metrics) {
    if (console) {
      log_info("{}", console_line(metrics, colour));
    }
    if (jsonl) {
      jsonl->write(metrics);
    }
    if (tensorboard) {
      tensorboard->write(metrics);
    }
  }
};

Logger::Logger(const LoggerOptions& options) {
  if (options.rank != 0) {
    return;
  }
  writers_ = std::make_unique<Writers>();
  writers_->console = options.console;
  writers_->colour = options.colour && wants_colour(STDERR_FILENO);
  writers_->status.total_steps = options.total_steps;
  writers_->status.loss = std::numeric_limits<double>::quiet_NaN();
  if (!options.jsonl.empty()) {
    writers_->jsonl.emplace(options.jsonl, options.resume_step);
  }
  if (!options.tensorboard.empty()) {
    writers_->tensorboard.emplace(options.tensorboard);
  }
  if (shows_progress(options.progress)) {
    writers_->bar.emplace(STDERR_FILENO);
  }
}

Logger::~Logger() = default;

void Logger::log(const StepMetrics& metrics) {
  if (!writers_) {
    return;
  }
  writers_->status.loss = metrics.loss;
  writers_->status.tokens_per_second = metrics.tokens_per_second;
  writers_->log(metrics);
}

void Logger::log(const ValidationMetrics& metrics) {
  if (writers_) {
    writers_->log(metrics);
  }
}

void Logger::show_progress(std::int64_t step, double share) {
  if (!writers_ || !writers_->bar) {
    return;
  }
  writers_->status.step = step;
  writers_->status.share = share;
  writers_->bar->update(writers_->status, monotonic_seconds());
}

void Logger::close() {
  writers_.reset();
}

std::unique_ptr<Logger> build_logger(const LoggerOptions& options) {
  return std::make_unique<Logger>(options);
}

}  // namespace rhea
