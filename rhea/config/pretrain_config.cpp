#include "rhea/config/pretrain_config.h"

namespace rhea {
namespace {

constexpr double kMostEntries = 1 << 30;  // ids are 32-bit integers

}  // namespace

void JobConfig::declare(KeyTable& keys) {
  keys.section("job", "The run as a whole");
  keys.add("dump_folder", &dump_folder, "where everything of the run is written");
  keys.add("description", &description, "a note for people, kept in config.toml");
  keys.add("device", &device, "where to compute; auto takes a GPU if there is one", one_of({"auto", "cpu", "cuda"}));
  keys.add("print_config", &print_config, "print the resolved configuration at the start");
}

void ModelConfig::declare(KeyTable& keys) {
  keys.section("model", "The architecture");
  keys.add("name", &name, "the family", one_of({"llama3", "gpt2"}));
  keys.add(
      "flavor", &flavor,
      "the size. llama3: debugmodel, debugmodel_2l, debugmodel_gqa, 134M, 1B, 3B, 7B, 8B, 13B, 40B, 70B, 405B; gpt2: debugmodel, "
      "124M, 350M, 774M, 1.5B");
  keys.add("vocab_size", &vocab_size, "entries of the embedding table; 0: the size's own", between(0, kMostEntries));
  keys.add("depth_init", &depth_init,
           "llama: scale each layer's residual projections by its own depth; false: by the whole depth");
  keys.add("document_mask", &document_mask, "attention and positions keep inside each document of a packed row");
  keys.add("qk_norm", &qk_norm, "llama: normalise each head's query and key; steadier at high learning rates, a little slower");
  keys.add("tie_embeddings", &tie_embeddings,
           "llama: the head is the embedding table, fewer weights; default: as the size has it",
           one_of({"default", "true", "false"}));
}

void TokenizerConfig::declare(KeyTable& keys) {
  keys.section("tokenizer", "Text to tokens");
  keys.add(
      "path", &path,
      "a tokenizer.json, .model, .tiktoken or tekken.json, or its folder; empty: train one on the data set once and cache it");
  keys.add("vocab_size", &vocab_size, "entries of a trained tokenizer; 0: as many as the model has", between(0, kMostEntries));
}

void DatasetConfig::declare(KeyTable& keys) {
  keys.section("dataset", "What is trained on");
  keys.add("path", &path,
           "a file, a folder or a pattern (*): text, .jsonl, .bin; .gz, .dz and .zst are unpacked while reading. Required");
  keys.add("text_key", &text_key, "the field of a JSON line that holds the text");
  keys.add("document_start", &document_start,
           "regular expression: a text file is cut into documents before each match; empty: a file is one");
  keys.add("add_bos", &add_bos, "put the begin-of-text token before each document");
  keys.add("add_eos", &add_eos, "put the end-of-text token behind each document");
  keys.add("shuffle", &shuffle, "another order of the documents each epoch, by debug.seed");
  keys.add("epochs", &epochs, "stop after this many passes over the data; 0: no limit", at_least(0));
  keys.add("prefetch", &prefetch, "steps prepared ahead of the loop; more ride out a slow disk, and each holds one step's tokens",
           between(1, 1024));
  keys.add("cache_folder", &cache_folder, "where trained tokenizers and tokenised data are kept between runs");
}

void TrainingConfig::declare(KeyTable& keys) {
  keys.section("training", "Batch, budget, precision. The first limit that is reached ends the run; 0 is no limit");
  keys.add("local_batch_size", &local_batch_size, "rows of a microbatch on each rank; larger is faster until memory runs out",
           between(1, 1 << 20));
  keys.add("global_batch_size", &global_batch_size,
           "rows of a step over all ranks; larger gives a steadier gradient from more microbatches, slower steps; -1: "
           "local_batch_size times ranks",
           at_least(-1));
  keys.add("seq_len", &seq_len, "tokens of a row; longer sees more context, at more memory and time", between(1, 1 << 24));
  keys.add("steps", &steps, "optimizer steps; also the length of the learning-rate schedule", at_least(1));
  keys.add("max_tokens", &max_tokens, "tokens of all ranks together", at_least(0));
  keys.add("max_seconds", &max_seconds, "seconds of training, earlier parts of a resumed run counted", at_least(0));
  keys.add("max_flops", &max_flops, "floating-point operations of all ranks together", at_least(0));
  keys.add("target_loss", &target_loss, "stop once a logged loss is this low", at_least(0));
  keys.add("max_norm", &max_norm, "clip the gradients to this norm; smaller tames spikes and slows learning; 0: never",
           at_least(0));
  keys.add("norm_type", &norm_type, "which norm", one_of({"2", "inf"}));
  keys.add("mixed_precision_param", &mixed_precision_param, "precision of activations and products; weights are always float32",
           one_of({"float32", "bfloat16", "float16"}));
}

void OptimizerConfig::declare(KeyTable& keys) {
  keys.section("optimizer", "How gradients change the weights");
  keys.add("name", &name, "the optimizer", one_of({"AdamW", "SGD"}));
  keys.add("lr", &lr, "peak learning rate; too high and the loss diverges, too low and it falls slowly", at_least(0));
  keys.add("beta1", &beta1, "AdamW: memory of the gradients' mean; nearer to 1 is smoother and later",
           {.least = 0, .most = 1, .below_most = true});
  keys.add("beta2", &beta2, "AdamW: memory of the gradients' square; nearer to 1 is steadier and slower to adapt",
           {.least = 0, .most = 1, .below_most = true});
  keys.add("eps", &eps, "AdamW: keeps the division finite; larger damps the steps of weights with tiny gradients", at_least(0));
  keys.add("weight_decay", &weight_decay, "pull of the weights towards zero, times the learning rate; larger regularises more",
           at_least(0));
  keys.add("decay_parameters", &decay_parameters, "what decays: all parameters, or matrices only (no norms, no biases)",
           one_of({"all", "matrices"}));
  keys.add("momentum", &momentum, "SGD: share of the last direction that is kept", {.least = 0, .most = 1, .below_most = true});
  keys.add("skip_loss_zscore", &skip_loss_zscore,
           "skip updates whose loss is this many deviations above the last 128 steps; 0: never", at_least(0));
  keys.add("skip_grad_norm_zscore", &skip_grad_norm_zscore, "the same for the gradient norm; 0: never", at_least(0));
}

void LrSchedulerConfig::declare(KeyTable& keys) {
  keys.section("lr_scheduler", "Warmup, stable, decay");
  keys.add("warmup_steps", &warmup_steps, "steps of linear warmup from 0 to lr; more is gentler on a fresh model", at_least(0));
  keys.add("total_steps", &total_steps, "length of the schedule; 0: training.steps", at_least(0));
  keys.add("decay_ratio", &decay_ratio, "share of the steps that decay; negative: everything after the warmup", {.most = 1});
  keys.add("decay_type", &decay_type, "shape of the decay", one_of({"linear", "sqrt", "cosine"}));
  keys.add("min_lr_factor", &min_lr_factor, "where the decay ends, as a share of lr", between(0, 1));
}

void ParallelismConfig::declare(KeyTable& keys) {
  keys.section("parallelism", "How the ranks share the work");
  keys.add("data_parallel_replicate_degree", &data_parallel_replicate_degree,
           "copies of the model, each with its part of the batch; -1: as many as there are ranks", at_least(-1));
}

void CommConfig::declare(KeyTable& keys) {
  keys.section("comm", "Communication between ranks");
  keys.add("init_timeout_seconds", &init_timeout_seconds, "how long to wait for all ranks at the start", between(1, 86400));
  keys.add("train_timeout_seconds", &train_timeout_seconds, "how long to wait for a rank in training before the job fails",
           between(1, 86400));
}

void CheckpointConfig::declare(KeyTable& keys) {
  keys.section("checkpoint", "Saving and resuming: with enable, a run goes on from the latest checkpoint in its folder");
  keys.add("enable", &enable, "save checkpoints and resume from them");
  keys.add("folder", &folder, "under job.dump_folder");
  keys.add("interval", &interval, "steps between checkpoints; fewer lose less work in a crash and write more", at_least(1));
  keys.add("keep_latest_k", &keep_latest_k, "how many of the newest to keep, each the size of model and optimizer; 0: all",
           at_least(0));
  keys.add("load_step", &load_step, "resume from this step; -1: the latest", at_least(-1));
  keys.add("async_mode", &async_mode, "async: training goes on while files are written", one_of({"async", "disabled"}));
  keys.add("initial_load_path", &initial_load_path, "start from this run or checkpoint when the folder holds none yet");
  keys.add("initial_load_model_only", &initial_load_model_only, "take only the weights from initial_load_path");
  keys.add("last_save_model_only", &last_save_model_only,
           "the last checkpoint holds the weights only: small, but not to be resumed");
  keys.add("exclude_from_loading", &exclude_from_loading, "what starts afresh on resuming",
           one_of({"optimizer", "lr_scheduler", "data"}));
}

void ActivationCheckpointConfig::declare(KeyTable& keys) {
  keys.section("activation_checkpoint", "Less memory for more arithmetic: layers computed again in the backward pass");
  keys.add("mode", &mode, "which layers: none, all (full), or every n-th (selective)", one_of({"none", "full", "selective"}));
  keys.add("selective_ac_option", &selective_ac_option, "n of selective: 1 saves most memory, larger recomputes less",
           at_least(1));
}

void ValidationConfig::declare(KeyTable& keys) {
  keys.section("validation", "Loss on text that is not trained on");
  keys.add("enable", &enable, "validate every freq steps and at the end");
  keys.add("path", &path, "a data set of its own; empty: hold out a share of dataset.path");
  keys.add("share", &share, "share of the documents that is held out; larger measures better and leaves less to train on",
           above_and_at_most(0, 0.5));
  keys.add("freq", &freq, "steps between validations; smaller shows more and costs more time", at_least(1));
  keys.add("steps", &steps, "batches a rank; -1: the whole set", at_least(-1));
  keys.add("local_batch_size", &local_batch_size, "rows of a batch", between(1, 1 << 20));
}

void MetricsConfig::declare(KeyTable& keys) {
  keys.section("metrics", "What is shown and logged");
  keys.add("log_freq", &log_freq, "steps between log lines; the loss is added over the ranks only then", at_least(1));
  keys.add("enable_tensorboard", &enable_tensorboard, "write TensorBoard files");
  keys.add("save_tb_folder", &save_tb_folder, "under job.dump_folder");
  keys.add("disable_color_printing", &disable_color_printing, "no colours on the console");
  keys.add("progress_bar", &progress_bar, "a status line that rewrites itself; auto: on a terminal",
           one_of({"auto", "on", "off"}));
  keys.add("final_plot", &final_plot, "draw the loss in the terminal at the end");
  keys.add("final_sample_tokens", &final_sample_tokens, "tokens of a text written by the model at the end; 0: none", at_least(0));
}

void ProfilingConfig::declare(KeyTable& keys) {
  keys.section("profiling", "Traces for chrome://tracing and Perfetto");
  keys.add("enable_profiling", &enable_profiling, "trace steps");
  keys.add("save_traces_folder", &save_traces_folder, "under job.dump_folder");
  keys.add("profile_freq", &profile_freq, "every how many steps a trace ends", at_least(1));
  keys.add("profiler_warmup", &profiler_warmup, "steps recorded and thrown away before each trace", between(0, 1 << 20));
  keys.add("profiler_active", &profiler_active, "steps in each trace", between(1, 1 << 20));
}

void DebugConfig::declare(KeyTable& keys) {
  keys.section("debug", "Reproducing");
  keys.add("seed", &seed, "of weights, order of data and samples: the same seed gives the same bits", at_least(0));
}

void PretrainConfig::declare(KeyTable& keys) {
  job.declare(keys);
  model.declare(keys);
  tokenizer.declare(keys);
  dataset.declare(keys);
  training.declare(keys);
  optimizer.declare(keys);
  lr_scheduler.declare(keys);
  parallelism.declare(keys);
  comm.declare(keys);
  checkpoint.declare(keys);
  activation_checkpoint.declare(keys);
  validation.declare(keys);
  metrics.declare(keys);
  profiling.declare(keys);
  debug.declare(keys);
}

}  // namespace rhea
