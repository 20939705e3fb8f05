// Everything that a resumed run needs to go on bit for bit, gathered into a checkpoint and put back.
#pragma once

#include "rhea/checkpoint/snapshot.h"

#include <string>
#include <vector>

namespace rhea {

class DataLoader;
class MixedPrecision;
class Model;
class Optimizer;
class OutlierGuard;
struct Progress;

// The parts that change during training, by reference. The schedule is a function of progress.step, and random numbers
// are functions of seed and position, so neither has a state of its own.
struct TrainingState {
  Model& model;
  Optimizer& optimizer;
  Progress& progress;
  DataLoader& loader;
  MixedPrecision& precision;
  OutlierGuard* guard = nullptr;
};

// The snapshot shares the tensors: save it before the next step changes them. model_only leaves the optimizer out.
Snapshot gather(const TrainingState& state, const std::string& config_toml, bool model_only = false);

// Puts a snapshot back. `exclude` names what keeps its present state: "optimizer", "lr_scheduler" (starts at step 0),
// "data". Throws Error listing what does not fit.
void restore(const TrainingState& state, const Snapshot& snapshot, const std::vector<std::string>& exclude,
             const std::string& source);

// Only the weights.
void restore_model(Model& model, const TensorMap& tensors, const std::string& source);

}  // namespace rhea
