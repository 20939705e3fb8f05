#include "rhea/train/build.h"

#include "rhea/config/file_readers.h"
#include "rhea/config/parse.h"
#include "rhea/core/error.h"
#include "rhea/core/thousands.h"
#include "rhea/data/token_corpus.h"
#include "rhea/models/build_model.h"
#include "rhea/train/gradients.h"

#include <limits>

namespace rhea {
namespace {

SourceOptions source_options(const DatasetConfig& dataset, const std::string& path) {
  SourceOptions options;
  options.paths = {path};
  options.text_field = dataset.text_key;
  options.document_start = dataset.document_start;
  return options;
}

DataLoaderOptions loader_options(const PretrainConfig& config, const BatchDimInfo& batch_dim) {
  DataLoaderOptions options;
  options.local_batch_size = config.training.local_batch_size;
  options.microbatches = microbatches_per_step(config.training, batch_dim.size);
  options.seq_len = config.training.seq_len;
  options.rank = batch_dim.rank;
  options.world = batch_dim.size;
  options.seed = static_cast<std::uint64_t>(config.debug.seed);
  options.shuffle = config.dataset.shuffle;
  options.epochs = config.dataset.epochs;
  options.prefetch = static_cast<int>(config.dataset.prefetch);
  options.document_mask = config.model.document_mask;
  return options;
}

std::unique_ptr<DataLoader> build_validation(const PretrainConfig& config, const BatchDimInfo& batch_dim,
                                             const std::shared_ptr<const TokenCorpus>& corpus, const Tokenizer& tokenizer) {
  DataLoaderOptions options = loader_options(config, batch_dim);
  options.local_batch_size = config.validation.local_batch_size;
  const FramingOptions framing{config.dataset.add_bos, config.dataset.add_eos};
  if (config.validation.path.empty()) {
    options.side = DataSide::kHeldOut;
    options.held_out_share = config.validation.share;
    return build_validation_loader(corpus, tokenizer, framing, options);
  }
  const auto own = open_corpus(source_options(config.dataset, config.validation.path), tokenizer, config.dataset.cache_folder);
  return build_validation_loader(own, tokenizer, framing, options);
}

}  // namespace

PretrainConfig read_run_config(const std::filesystem::path& config_toml) {
  PretrainConfig config;
  KeyTable keys = key_table_of(config);
  read_config_file(keys, config_toml);
  return config;
}

WorldOptions world_options(const PretrainConfig& config) {
  return {.device = config.job.device,
          .init_timeout = std::chrono::seconds(config.comm.init_timeout_seconds),
          .train_timeout = std::chrono::seconds(config.comm.train_timeout_seconds)};
}

Mesh build_mesh(const World& world, const PretrainConfig& config) {
  const auto degree = static_cast<int>(config.parallelism.data_parallel_replicate_degree);
  return Mesh(world, {{std::string(kDataParallelReplicate), degree < 0 ? world.size() : degree}});
}

std::unique_ptr<Model> build_model(const PretrainConfig& config, std::int64_t tokenizer_vocab_size) {
  ModelOptions options;
  options.family = config.model.name;
  options.flavor = config.model.flavor;
  options.vocab_size = config.model.vocab_size;
  options.max_seq_len = config.training.seq_len;
  options.depth_init = config.model.depth_init;
  options.qk_norm = config.model.qk_norm;
  if (config.model.tie_embeddings != "default") {
    options.tied = config.model.tie_embeddings == "true";
  }
  auto model = build_model(options);
  if (tokenizer_vocab_size > model->shape().vocab_size) {
    fail_usage("the tokenizer has {} entries, but the model only {}: set model.vocab_size={} or use another tokenizer.path",
               tokenizer_vocab_size, model->shape().vocab_size, tokenizer_vocab_size);
  }
  return model;
}

std::int64_t recompute_every(const ActivationCheckpointConfig& config) {
  if (config.mode == "none") {
    return 0;
  }
  return config.mode == "full" ? 1 : config.selective_ac_option;
}

std::int64_t microbatches_per_step(const TrainingConfig& config, int batch_dim_size) {
  const std::int64_t rows = config.local_batch_size * batch_dim_size;
  const std::int64_t global = config.global_batch_size < 0 ? rows : config.global_batch_size;
  if (global < rows || global % rows != 0) {
    fail_usage(
        "training.global_batch_size = {} is no multiple of training.local_batch_size = {} times {} data-parallel ranks = {}",
        global, config.local_batch_size, batch_dim_size, rows);
  }
  return global / rows;
}

std::string describe_batch(const TrainingConfig& config, int batch_dim_size) {
  const auto counted = [](std::int64_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  const std::int64_t microbatches = microbatches_per_step(config, batch_dim_size), rows = config.local_batch_size;
  return fmt::format("{} x {} x {} x {} tokens = {} tokens a step", counted(batch_dim_size, "rank", "ranks"),
                     counted(microbatches, "microbatch", "microbatches"), counted(rows, "row", "rows"), config.seq_len,
                     with_thousands(batch_dim_size * microbatches * rows * config.seq_len));
}

TrainingData build_data(const PretrainConfig& config, const BatchDimInfo& batch_dim) {
  const SourceOptions sources = source_options(config.dataset, config.dataset.path);
  // A tokenizer of our own making has as many entries as the model can use.
  const std::int64_t model_vocab = build_model(config, 0)->shape().vocab_size;
  TrainingData data;
  const std::int64_t trained_size = config.tokenizer.vocab_size > 0 ? config.tokenizer.vocab_size : model_vocab;
  data.tokenizer_path =
      find_or_train_tokenizer({.path = config.tokenizer.path, .vocab_size = trained_size}, sources, config.dataset.cache_folder);
  data.tokenizer = load_tokenizer(data.tokenizer_path);
  const auto corpus = open_corpus(sources, *data.tokenizer, config.dataset.cache_folder);
  DataLoaderOptions options = loader_options(config, batch_dim);
  if (config.validation.enable && config.validation.path.empty()) {
    options.side = DataSide::kTraining;
    options.held_out_share = config.validation.share;
  }
  data.loader = build_dataloader(corpus, *data.tokenizer, {config.dataset.add_bos, config.dataset.add_eos}, options);
  if (config.validation.enable) {
    data.validation = build_validation(config, batch_dim, corpus, *data.tokenizer);
  }
  return data;
}

std::unique_ptr<Optimizer> build_optimizer(const PretrainConfig& config, const Model& model) {
  const OptimizerConfig& section = config.optimizer;
  return build_optimizer({.name = section.name,
                          .beta1 = section.beta1,
                          .beta2 = section.beta2,
                          .eps = section.eps,
                          .weight_decay = section.weight_decay,
                          .decay = section.decay_parameters,
                          .momentum = section.momentum},
                         named_parameters(model));
}

LrSchedule build_lr_schedule(const PretrainConfig& config) {
  const LrSchedulerConfig& section = config.lr_scheduler;
  LrScheduleOptions options;
  options.warmup_steps = section.warmup_steps;
  options.decay_ratio = section.decay_ratio < 0 ? std::nullopt : std::optional(section.decay_ratio);
  options.decay_type = section.decay_type;
  options.min_lr_factor = section.min_lr_factor;
  return {options, section.total_steps > 0 ? section.total_steps : config.training.steps};
}

std::unique_ptr<OutlierGuard> build_outlier_guard(const PretrainConfig& config) {
  const OutlierGuardOptions options{.max_loss_z = config.optimizer.skip_loss_zscore,
                                    .max_grad_norm_z = config.optimizer.skip_grad_norm_zscore};
  const bool enabled = options.max_loss_z > 0 || options.max_grad_norm_z > 0;
  return enabled ? std::make_unique<OutlierGuard>(options) : nullptr;
}

ProfilerOptions profiler_options(const PretrainConfig& config) {
  const ProfilingConfig& section = config.profiling;
  return {.enabled = section.enable_profiling,
          .folder = std::filesystem::path(config.job.dump_folder) / section.save_traces_folder,
          .every = section.profile_freq,
          .warmup = section.profiler_warmup,
          .active = section.profiler_active};
}

Budget build_budget(const PretrainConfig& config) {
  const TrainingConfig& section = config.training;
  return {.steps = section.steps,
          .tokens = section.max_tokens,
          .flops = section.max_flops,
          .seconds = section.max_seconds,
          .target_loss = section.target_loss};
}

double norm_type(const TrainingConfig& config) {
  return config.norm_type == "inf" ? std::numeric_limits<double>::infinity() : 2.0;
}

}  // namespace rhea
