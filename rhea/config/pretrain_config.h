// The sections of a pre-training run. Names and defaults are torchtitan's where it has the key.
#pragma once

#include "rhea/config/key_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rhea {

struct JobConfig {
  std::string dump_folder = "outputs";
  std::string description;
  std::string device = "auto";
  bool print_config = false;
  void declare(KeyTable& keys);
};

struct ModelConfig {
  std::string name = "llama3";
  std::string flavor = "debugmodel";
  std::int64_t vocab_size = 0;
  bool depth_init = true;
  bool document_mask = true;
  bool qk_norm = false;
  std::string tie_embeddings = "default";
  void declare(KeyTable& keys);
};

struct TokenizerConfig {
  std::string path;
  std::int64_t vocab_size = 0;
  void declare(KeyTable& keys);
};

struct DatasetConfig {
  std::string path;
  std::string text_key = "text";
  std::string document_start;
  bool add_bos = true;
  bool add_eos = true;
  bool shuffle = true;
  std::int64_t epochs = 0;
  std::int64_t prefetch = 4;
  std::string cache_folder = "outputs/cache";
  void declare(KeyTable& keys);
};

struct TrainingConfig {
  std::int64_t local_batch_size = 8;
  std::int64_t global_batch_size = -1;
  std::int64_t seq_len = 2048;
  std::int64_t steps = 10000;
  std::int64_t max_tokens = 0;
  double max_seconds = 0.0;
  double max_flops = 0.0;
  double target_loss = 0.0;
  double max_norm = 1.0;
  std::string norm_type = "2";
  std::string mixed_precision_param = "bfloat16";
  void declare(KeyTable& keys);
};

struct OptimizerConfig {
  std::string name = "AdamW";
  double lr = 8e-4;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.1;
  std::string decay_parameters = "all";
  double momentum = 0.0;
  double skip_loss_zscore = 0.0;
  double skip_grad_norm_zscore = 0.0;
  void declare(KeyTable& keys);
};

struct LrSchedulerConfig {
  std::int64_t warmup_steps = 200;
  std::int64_t total_steps = 0;
  double decay_ratio = -1.0;
  std::string decay_type = "linear";
  double min_lr_factor = 0.0;
  void declare(KeyTable& keys);
};

struct ParallelismConfig {
  std::int64_t data_parallel_replicate_degree = -1;
  void declare(KeyTable& keys);
};

struct CommConfig {
  std::int64_t init_timeout_seconds = 300;
  std::int64_t train_timeout_seconds = 100;
  void declare(KeyTable& keys);
};

struct CheckpointConfig {
  bool enable = false;
  std::string folder = "checkpoint";
  std::int64_t interval = 500;
  std::int64_t keep_latest_k = 10;
  std::int64_t load_step = -1;
  std::string async_mode = "async";
  std::string initial_load_path;
  bool initial_load_model_only = true;
  bool last_save_model_only = false;
  std::vector<std::string> exclude_from_loading;
  void declare(KeyTable& keys);
};

struct ActivationCheckpointConfig {
  std::string mode = "none";
  std::int64_t selective_ac_option = 2;
  void declare(KeyTable& keys);
};

struct ValidationConfig {
  bool enable = false;
  std::string path;
  double share = 0.01;
  std::int64_t freq = 100;
  std::int64_t steps = -1;
  std::int64_t local_batch_size = 8;
  void declare(KeyTable& keys);
};

struct MetricsConfig {
  std::int64_t log_freq = 10;
  bool enable_tensorboard = false;
  std::string save_tb_folder = "tb";
  bool disable_color_printing = false;
  std::string progress_bar = "auto";
  bool final_plot = true;
  std::int64_t final_sample_tokens = 0;
  void declare(KeyTable& keys);
};

struct ProfilingConfig {
  bool enable_profiling = false;
  std::string save_traces_folder = "profile_traces";
  std::int64_t profile_freq = 10;
  std::int64_t profiler_warmup = 3;
  std::int64_t profiler_active = 1;
  void declare(KeyTable& keys);
};

struct DebugConfig {
  std::int64_t seed = 42;
  void declare(KeyTable& keys);
};

struct PretrainConfig {
  JobConfig job;
  ModelConfig model;
  TokenizerConfig tokenizer;
  DatasetConfig dataset;
  TrainingConfig training;
  OptimizerConfig optimizer;
  LrSchedulerConfig lr_scheduler;
  ParallelismConfig parallelism;
  CommConfig comm;
  CheckpointConfig checkpoint;
  ActivationCheckpointConfig activation_checkpoint;
  ValidationConfig validation;
  MetricsConfig metrics;
  ProfilingConfig profiling;
  DebugConfig debug;
  void declare(KeyTable& keys);
};

// What the values must keep to among themselves. Throws UsageError naming the keys and numbers.
void check(const PretrainConfig& config);
// The same for a run that is only planned: its data need not be named yet.
void check_plan(const PretrainConfig& config);

}  // namespace rhea
