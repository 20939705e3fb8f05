#include "rhea/train/run_log.h"

#include "rhea/config/parse.h"
#include "rhea/config/pretrain_config.h"
#include "rhea/core/files.h"
#include "rhea/core/log.h"
#include "rhea/core/thousands.h"
#include "rhea/distributed/world.h"
#include "rhea/metrics/flops.h"
#include "rhea/metrics/plot.h"
#include "rhea/models/model.h"
#include "rhea/ops/gemm_peak.h"
#include "rhea/tokenizers/tokenizer.h"
#include "rhea/train/build.h"
#include "rhea/train/device_memory.h"
#include "rhea/train/losses.h"
#include "rhea/train/memory_plan.h"
#include "rhea/train/validate.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace rhea {
namespace {

namespace fs = std::filesystem;

// The device's peak: from its data sheet, or measured where there is none.
double peak_of(const World& world, const Model& model) {
  return world.device().is_cpu() ? ops::measure_gemm_peak(world.device(), model.compute_dtype())
                                 : peak_flops(world.device_name()).value_or(-1.0);
}

void copy_tokenizer(const fs::path& tokenizer, const fs::path& folder) {
  const fs::path file = find_tokenizer_file(tokenizer);
  write_file_atomically(folder / (file.extension() == ".json" ? "tokenizer.json" : "tokenizer.model"), read_file(file));
  const fs::path settings = file.parent_path() / "tokenizer_config.json";
  if (fs::exists(settings)) {
    write_file_atomically(folder / "tokenizer_config.json", read_file(settings));
  }
}

LoggerOptions logger_options(const PretrainConfig& config, const World& world, std::optional<std::int64_t> resumed_step) {
  const fs::path folder = config.job.dump_folder;
  LoggerOptions options;
  options.rank = world.rank();
  options.jsonl = folder / "metrics.jsonl";
  if (config.metrics.enable_tensorboard) {
    options.tensorboard = folder / config.metrics.save_tb_folder;
  }
  options.resume_step = resumed_step;
  options.total_steps = config.training.steps;
  options.progress = config.metrics.progress_bar == "on"    ? ShowProgress::kOn
                     : config.metrics.progress_bar == "off" ? ShowProgress::kOff
                                                            : ShowProgress::kAuto;
  options.colour = !config.metrics.disable_color_printing;
  return options;
}

}  // namespace

RunLog::RunLog(const PretrainConfig& config, const World& world, const Model& model, const fs::path& tokenizer,
               std::optional<std::int64_t> resumed_step)
    : config_(config),
      world_(world),
      flops_per_token_(static_cast<double>(model.causal_flops_per_token(config.training.seq_len))),
      peak_flops_(world.rank() == 0 ? peak_of(world, model) : -1.0),
      meter_(monotonic_seconds()) {
  if (world.rank() == 0) {
    require_writable_folder(config.job.dump_folder, "job.dump_folder");
    write_file_atomically(fs::path(config.job.dump_folder) / "config.toml", config_to_toml(config));
    copy_tokenizer(tokenizer, fs::path(config.job.dump_folder) / "tokenizer");
    log_head(model);
  }
  logger_ = build_logger(logger_options(config, world, resumed_step));
  meter_ = ThroughputMeter(monotonic_seconds());
}

void RunLog::log_head(const Model& model) const {
  const std::int64_t seq_len = config_.training.seq_len;
  if (config_.job.print_config) {
    std::fputs(config_to_toml(config_).c_str(), stdout);
  }
  log_info("model {} {}: {} parameters, {} FLOPs a token at {} (torchtitan's formula), {} counted causally", config_.model.name,
           config_.model.flavor, with_thousands(model.num_parameters()), with_thousands(model.flops_per_token(seq_len)), seq_len,
           with_thousands(model.causal_flops_per_token(seq_len)));
  log_info("batch: {}", describe_batch(config_.training, world_.size()));
  const MemoryPlan plan = plan_memory(model, memory_plan_options(config_, model));
  log_info("memory a rank, planned: {}", to_line(plan));
  if (peak_flops_ > 0) {
    const bool small = peak_flops_ < 1e12;
    log_info("device: {}, {:.{}f} {} in matrix products", world_.device_name(), peak_flops_ / (small ? 1e9 : 1e12), small ? 0 : 1,
             small ? "GFLOP/s" : "TFLOP/s");
  }
}

void RunLog::count_step(const Progress& progress, const Budget& budget, const StepLosses& losses, double data_wait_seconds) {
  meter_.add_step(losses.tokens, data_wait_seconds);
  logger_->show_progress(progress.step, share_done(progress, budget));
}

bool RunLog::is_due(const Progress& progress) const {
  return progress.step == 1 || progress.step % config_.metrics.log_freq == 0;
}

void RunLog::log(const Progress& progress, const GlobalLosses& losses, const at::Tensor& gradient_norm, double lr) {
  const ThroughputWindow window = meter_.take_window(monotonic_seconds());
  const DeviceMemory memory = peak_device_memory(world_.device());
  StepMetrics metrics;
  metrics.step = progress.step;
  metrics.loss = losses.mean;
  metrics.max_loss = losses.max;
  metrics.grad_norm = gradient_norm.item<double>();
  metrics.lr = lr;
  metrics.tokens = progress.tokens;
  metrics.tokens_per_second = window.tokens_per_second();
  metrics.tflops = flops_per_token_ * metrics.tokens_per_second / 1e12;
  metrics.mfu = model_flops_utilization(flops_per_token_, metrics.tokens_per_second, peak_flops_);
  metrics.memory_gib = memory.peak_gib;
  metrics.memory_share = memory.share;
  metrics.step_seconds = window.step_seconds();
  metrics.data_wait_seconds = window.step_data_wait_seconds();
  metrics.seconds = progress.seconds;
  metrics.skipped_steps = progress.skipped_steps;
  logger_->log(metrics);
}

void RunLog::log(const Progress& progress, const ValidationResult& validation) {
  const DeviceMemory memory = peak_device_memory(world_.device());
  ValidationMetrics metrics;
  metrics.step = progress.step;
  metrics.loss = validation.loss;
  metrics.tokens = validation.targets;
  metrics.tokens_per_second = static_cast<double>(validation.tokens) / validation.seconds / world_.size();
  metrics.memory_gib = memory.peak_gib;
  metrics.memory_share = memory.share;
  metrics.seconds = progress.seconds;
  logger_->log(metrics);
  meter_.exclude(validation.seconds);
  validation_loss_ = validation.loss;
}

void RunLog::finish(const Progress& progress, const Budget& budget, const std::string& last_checkpoint, bool interrupted) {
  logger_->close();
  if (world_.rank() != 0) {
    return;
  }
  const std::string reason = reason_to_stop(progress, budget);
  const std::string why = interrupted      ? "stopped by a signal"
                          : reason.empty() ? "the data set's epochs are over"
                                           : "reached " + reason;
  log_info("training ended after step {}: {}, {} tokens in {:.1f} s", progress.step, why, with_thousands(progress.tokens),
           progress.seconds);
  if (validation_loss_) {
    log_info("validation loss {:.4f} nats a token (perplexity {:.2f})", *validation_loss_, std::exp(*validation_loss_));
  }
  const fs::path folder = config_.job.dump_folder;
  log_info("written to {}: config.toml, metrics.jsonl, tokenizer/{}", folder.string(),
           last_checkpoint.empty() ? "" : ", the last checkpoint is " + last_checkpoint);
  if (interrupted && !last_checkpoint.empty()) {
    log_info("to go on: give the same command again, or rhea run pretrain --config {}", (folder / "config.toml").string());
  }
  if (config_.metrics.final_plot && progress.step > 1) {
    const bool colour = isatty(STDOUT_FILENO) != 0 && !config_.metrics.disable_color_printing;
    std::fputs(terminal_loss_plot(folder / "metrics.jsonl", colour).c_str(), stdout);
  }
}

}  // namespace rhea
