#include "rhea/config/pretrain_config.h"
#include "rhea/core/error.h"

namespace rhea {
namespace {

void check_paths(const PretrainConfig& config) {
  if (config.job.dump_folder.empty()) {
    fail_usage("job.dump_folder is empty: give the folder to write to");
  }
  if (config.dataset.cache_folder.empty()) {
    fail_usage("dataset.cache_folder is empty: give the folder that keeps tokenised data between runs");
  }
}

void check_batch(const PretrainConfig& config) {
  const std::int64_t global = config.training.global_batch_size, local = config.training.local_batch_size;
  if (global == 0) {
    fail_usage("training.global_batch_size = 0: expected at least 1, or -1 for local_batch_size times the ranks");
  }
  if (global > 0 && global % local != 0) {
    fail_usage("training.global_batch_size = {} is no multiple of training.local_batch_size = {}", global, local);
  }
  if (config.parallelism.data_parallel_replicate_degree == 0) {
    fail_usage("parallelism.data_parallel_replicate_degree = 0: expected at least 1, or -1 for as many as there are ranks");
  }
}

// A request that the chosen parts cannot honour is refused, not ignored.
void check_choices(const PretrainConfig& config) {
  if (config.optimizer.name != "SGD" && config.optimizer.momentum != 0) {
    fail_usage("optimizer.momentum = {} is SGD's, but optimizer.name is {}: leave it at 0 (AdamW's is optimizer.beta1)",
               config.optimizer.momentum, config.optimizer.name);
  }
  const std::int64_t model_vocab = config.model.vocab_size, tokenizer_vocab = config.tokenizer.vocab_size;
  if (model_vocab > 0 && tokenizer_vocab > model_vocab) {
    fail_usage("tokenizer.vocab_size = {} is more than model.vocab_size = {}: the model has no embedding for the rest",
               tokenizer_vocab, model_vocab);
  }
  if (config.validation.steps == 0) {
    fail_usage("validation.steps = 0: expected at least 1, or -1 for the whole set (validation.enable=false for none)");
  }
}

void check_checkpoint(const CheckpointConfig& checkpoint) {
  if (checkpoint.enable) {
    return;
  }
  if (checkpoint.load_step >= 0) {
    fail_usage("checkpoint.load_step = {} needs checkpoint.enable=true", checkpoint.load_step);
  }
  if (!checkpoint.initial_load_path.empty()) {
    fail_usage("checkpoint.initial_load_path = \"{}\" needs checkpoint.enable=true", checkpoint.initial_load_path);
  }
}

void check_profiling(const ProfilingConfig& profiling) {
  if (profiling.enable_profiling && profiling.profiler_warmup + profiling.profiler_active > profiling.profile_freq) {
    fail_usage("profiling.profiler_warmup = {} and profiling.profiler_active = {} do not fit into profiling.profile_freq = {}",
               profiling.profiler_warmup, profiling.profiler_active, profiling.profile_freq);
  }
}

}  // namespace

void check(const PretrainConfig& config) {
  if (config.dataset.path.empty()) {
    fail_usage("dataset.path is not set: give a text file, a folder, .jsonl or .bin (dataset.path=my_texts/)");
  }
  check_plan(config);
}

void check_plan(const PretrainConfig& config) {
  check_paths(config);
  check_batch(config);
  check_choices(config);
  check_checkpoint(config.checkpoint);
  check_profiling(config.profiling);
}

}  // namespace rhea
