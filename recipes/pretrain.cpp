// Pre-training: a language model from scratch (or from a checkpoint) on text.
//
//   rhea run pretrain --config configs/llama3/debugmodel.toml dataset.path=my_texts/ training.steps=100
//
// What this file is: the whole loop, in reading order, made of free functions that each can be used alone. Copy it
// (rhea cp pretrain my_pretrain.cpp), change what you like, and run it (rhea run my_pretrain.cpp --config ...).
// What it is not: a framework. There is no base class and no hook; whoever needs another step writes another line.
//
// Numbers: the loss is the sum of cross entropy over all targets of a step (all microbatches, all ranks) divided by their
// number, so nothing depends on how the batch is cut. The same configuration gives the same bits, also after kill -9.

#include <rhea/config/parse.h>
#include <rhea/config/pretrain_config.h>
#include <rhea/core/stop_signal.h>
#include <rhea/distributed/mesh.h>
#include <rhea/distributed/world.h>
#include <rhea/train/advance.h>
#include <rhea/train/build.h>
#include <rhea/train/checkpointer.h>
#include <rhea/train/gradients.h>
#include <rhea/train/losses.h>
#include <rhea/train/mixed_precision.h>
#include <rhea/train/profiler.h>
#include <rhea/train/program.h>
#include <rhea/train/progress.h>
#include <rhea/train/run_log.h>
#include <rhea/train/sample.h>
#include <rhea/train/step.h>
#include <rhea/train/training_state.h>
#include <rhea/train/validate.h>

using namespace rhea;

namespace {

void pretrain(const PretrainConfig& config) {
  install_stop_signals();

  // Who takes part, and which part of the batch is this rank's.
  const World world(world_options(config));
  const Mesh mesh = build_mesh(world, config);
  const BatchDimInfo batch_dim = batch_dim_info(mesh);
  ProcessGroup& batch_group = mesh.group(kDataParallelReplicate);

  // Text -> tokens -> rows. Tokenised once, then mapped from a cache; prefetched by a thread.
  const TrainingData data = build_data(config, batch_dim);

  // The model is built on the meta device (shapes only), then given its first values: the same on any number of ranks.
  const auto model = build_model(config, data.tokenizer->vocab_size());
  MixedPrecision precision(config.training.mixed_precision_param, *model, world.device());
  model->materialize(world.device(), static_cast<std::uint64_t>(config.debug.seed));
  model->set_recompute_every(recompute_every(config.activation_checkpoint));

  // How gradients become updates.
  const auto optimizer = build_optimizer(config, *model);
  const LrSchedule schedule = build_lr_schedule(config);
  const auto guard = build_outlier_guard(config);

  // Where the run stands, and how far it may go.
  Progress progress;
  const Budget budget = build_budget(config);
  const TrainingState state{*model, *optimizer, progress, *data.loader, precision, guard.get()};
  Checkpointer checkpointer(config, world);
  const auto resumed_step = checkpointer.load(state);

  RunLog log(config, world, *model, data.tokenizer_path, resumed_step);
  Profiler profiler(profiler_options(config), world.rank());
  const TrainingClock clock(progress.seconds);
  bool interrupted = false;
  const auto run_validation = [&] {
    log.log(progress,
            validate(*model, *data.validation, config.validation.steps, batch_group, world.device(), config.model.document_mask));
  };

  while (should_continue_training(progress, budget) && !interrupted) {
    // All of this step's microbatches: the number of targets must be known before the first backward pass.
    const auto batches = data.loader->next_step();
    if (!batches) {
      break;  // the epochs are over
    }
    profiler.begin_step(progress.step + 1);
    const auto microbatches = to_microbatches(*batches, world.device(), config.model.document_mask);

    const StepLosses losses = compute_gradients(*model, microbatches, batch_group, precision);
    const at::Tensor norm = clip_gradients(*model, config.training.max_norm, norm_type(config.training));
    const double lr = config.optimizer.lr * schedule.factor(progress.schedule_step);
    const Update update = run_optimizer_step(*optimizer, lr, precision, guard.get(), losses, norm, batch_group, progress);

    advance(progress, losses, update, *model, config.training.seq_len, clock, batch_group);
    log.count_step(progress, budget, losses, data.loader->waited_seconds());
    if (log.is_due(progress)) {
      const GlobalLosses global = compute_global_losses(losses, batch_group);
      progress.loss = global.mean;
      log.log(progress, global, norm, lr);
    }
    if (data.validation && progress.step % config.validation.freq == 0) {
      run_validation();
    }
    checkpointer.save_if_due(state);
    profiler.end_step(progress.step);
    interrupted = stop_requested_anywhere(world.group());
  }

  if (data.validation && !interrupted && progress.step % config.validation.freq != 0) {
    run_validation();
  }
  const std::string last_checkpoint = checkpointer.finish(state, /*run_is_complete=*/!interrupted);
  log.finish(progress, budget, last_checkpoint, interrupted);
  if (world.rank() == 0 && config.metrics.final_sample_tokens > 0 && !interrupted) {
    print_sample(*model, *data.tokenizer, config.metrics.final_sample_tokens, static_cast<std::uint64_t>(config.debug.seed));
  }
}

}  // namespace

int main(int argc, char** argv) {
  run_program([&] {
    PretrainConfig config;
    if (parse_config(config, {"pretrain", "train a language model from scratch, or go on training one"}, argc, argv)) {
      check(config);
      pretrain(config);
    }
  });
}
