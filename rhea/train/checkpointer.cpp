#include "rhea/train/checkpointer.h"

#include "rhea/checkpoint/step_folders.h"
#include "rhea/checkpoint/store.h"
#include "rhea/config/parse.h"
#include "rhea/config/pretrain_config.h"
#include "rhea/core/error.h"
#include "rhea/core/log.h"
#include "rhea/distributed/world.h"
#include "rhea/train/progress.h"

#include <filesystem>

namespace rhea {
namespace {

std::filesystem::path folder_of(const PretrainConfig& config) {
  return std::filesystem::path(config.job.dump_folder) / config.checkpoint.folder;
}

}  // namespace

Checkpointer::Checkpointer(const PretrainConfig& config, const World& world)
    : config_(config), world_(world), config_toml_(config_to_toml(config)) {
  if (config.checkpoint.enable) {
    manager_ = std::make_unique<CheckpointManager>(CheckpointOptions{.folder = folder_of(config),
                                                                     .keep_latest_k = config.checkpoint.keep_latest_k,
                                                                     .async = config.checkpoint.async_mode == "async",
                                                                     .writes = world.rank() == 0});
  }
}

// Rank 0 looks for the newest whole checkpoint and the others follow: while it is being looked for, another may appear.
std::optional<LoadedSnapshot> Checkpointer::find_own() const {
  if (config_.checkpoint.load_step >= 0) {
    return LoadedSnapshot{config_.checkpoint.load_step, manager_->load(config_.checkpoint.load_step)};
  }
  std::optional<LoadedSnapshot> found;
  if (world_.rank() == 0) {
    found = manager_->load_latest();
  }
  const std::int64_t step = all_reduce(world_.group(), found ? found->step : std::int64_t{-1}, ReduceOp::kMax);
  if (step >= 0 && !found) {
    found = LoadedSnapshot{step, manager_->load(step)};
  }
  return found;
}

std::optional<std::int64_t> Checkpointer::load(const TrainingState& state) {
  if (manager_) {
    if (const auto own = find_own()) {
      restore(state, own->snapshot, config_.checkpoint.exclude_from_loading,
              (folder_of(config_) / step_folder_name(own->step)).string());
      saved_step_ = own->step;
      log_info("resumed from {} after step {}", (folder_of(config_) / step_folder_name(own->step)).string(), own->step);
      return own->step;
    }
  }
  if (!config_.checkpoint.initial_load_path.empty()) {
    load_initial(state);
  }
  return std::nullopt;
}

void Checkpointer::load_initial(const TrainingState& state) const {
  const std::filesystem::path path = resolve_checkpoint(config_.checkpoint.initial_load_path, config_.checkpoint.folder);
  if (config_.checkpoint.initial_load_model_only) {
    restore_model(state.model, read_checkpoint_model(path), path.string());
  } else {
    restore(state, read_checkpoint(path), config_.checkpoint.exclude_from_loading, path.string());
  }
  log_info("started from {}{}", path.string(), config_.checkpoint.initial_load_model_only ? " (weights only)" : "");
}

void Checkpointer::save(const TrainingState& state, bool model_only) {
  manager_->save(state.progress.step, gather(state, config_toml_, model_only));
  saved_step_ = state.progress.step;
}

void Checkpointer::save_if_due(const TrainingState& state) {
  if (manager_ && state.progress.step % config_.checkpoint.interval == 0) {
    save(state, /*model_only=*/false);
  }
}

std::string Checkpointer::finish(const TrainingState& state, bool run_is_complete) {
  if (!manager_) {
    return {};
  }
  const bool model_only = run_is_complete && config_.checkpoint.last_save_model_only;
  if (saved_step_ != state.progress.step || model_only) {
    save(state, model_only);
  }
  manager_->wait();
  world_.group().barrier();
  return (folder_of(config_) / step_folder_name(state.progress.step)).string();
}

}  // namespace rhea
