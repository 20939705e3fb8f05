// Saving and resuming as the [checkpoint] section asks: which checkpoint a run starts from, and when it writes one.
#pragma once

#include "rhea/checkpoint/manager.h"
#include "rhea/train/training_state.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace rhea {

class World;
struct PretrainConfig;

class Checkpointer {
 public:
  // Proves at once that checkpoints can be written. Rank 0 writes.
  Checkpointer(const PretrainConfig& config, const World& world);

  // Goes on from the run's own checkpoint (load_step, or the newest whole one), else starts from initial_load_path, else
  // leaves everything as it is. All ranks load the same step. Gives the step to go on from, if there is one.
  std::optional<std::int64_t> load(const TrainingState& state);

  // Every `interval` steps. The loop is held for the copy only.
  void save_if_due(const TrainingState& state);

  // The end of the run, or of this part of it: saves the last step unless that was done, and waits until all is on disk.
  // Gives the folder of the last checkpoint; empty without [checkpoint] enable.
  std::string finish(const TrainingState& state, bool run_is_complete);

 private:
  void save(const TrainingState& state, bool model_only);
  std::optional<LoadedSnapshot> find_own() const;
  void load_initial(const TrainingState& state) const;

  const PretrainConfig& config_;
  const World& world_;
  std::string config_toml_;
  std::unique_ptr<CheckpointManager> manager_;  // null without [checkpoint] enable
  std::int64_t saved_step_ = -1;
};

}  // namespace rhea
