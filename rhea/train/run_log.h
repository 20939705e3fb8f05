// What a training run tells people and files: its head (model, cost, memory), a line every log_freq steps, validation,
// and how it ended.
#pragma once

#include "rhea/metrics/logger.h"
#include "rhea/metrics/meters.h"
#include "rhea/train/gradients.h"
#include "rhea/train/progress.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace rhea {

class Model;
class World;
struct GlobalLosses;
struct PretrainConfig;
struct ValidationResult;

class RunLog {
 public:
  // Makes job.dump_folder, writes config.toml and a copy of the tokenizer into it (so that the folder is enough to
  // generate from), and logs the head. resumed_step: metrics.jsonl goes on after it.
  RunLog(const PretrainConfig& config, const World& world, const Model& model, const std::filesystem::path& tokenizer,
         std::optional<std::int64_t> resumed_step);

  // After every step: counts its tokens and moves the progress bar.
  void count_step(const Progress& progress, const Budget& budget, const StepLosses& losses, double data_wait_seconds);

  // True for the first step of the run and every log_freq-th.
  bool is_due(const Progress& progress) const;
  void log(const Progress& progress, const GlobalLosses& losses, const at::Tensor& gradient_norm, double lr);
  void log(const Progress& progress, const ValidationResult& validation);

  // Says why and where training ended, with the loss curve where it is wanted. Closes the files.
  void finish(const Progress& progress, const Budget& budget, const std::string& last_checkpoint, bool interrupted);

 private:
  void log_head(const Model& model) const;

  const PretrainConfig& config_;
  const World& world_;
  double flops_per_token_;
  double peak_flops_;  // of one device; below 0: not known
  std::unique_ptr<Logger> logger_;
  ThroughputMeter meter_;
  std::optional<double> validation_loss_;
};

}  // namespace rhea
