#include "rhea/train/training_state.h"

#include "rhea/core/error.h"
#include "rhea/data/data_loader.h"
#include "rhea/models/model.h"
#include "rhea/optim/optimizer.h"
#include "rhea/optim/outlier_guard.h"
#include "rhea/train/gradients.h"
#include "rhea/train/mixed_precision.h"
#include "rhea/train/progress.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace rhea {
namespace {

using nlohmann::json;

json to_json(const Progress& progress) {
  json values = {{"step", progress.step},       {"schedule_step", progress.schedule_step},
                 {"tokens", progress.tokens},   {"flops", progress.flops},
                 {"seconds", progress.seconds}, {"skipped_steps", progress.skipped_steps}};
  if (std::isfinite(progress.loss)) {
    values["loss"] = progress.loss;
  }
  return values;
}

Progress progress_from(const json& values) {
  Progress progress;
  progress.step = values.at("step").get<std::int64_t>();
  progress.schedule_step = values.at("schedule_step").get<std::int64_t>();
  progress.tokens = values.at("tokens").get<std::int64_t>();
  progress.flops = values.at("flops").get<double>();
  progress.seconds = values.at("seconds").get<double>();
  progress.skipped_steps = values.at("skipped_steps").get<std::int64_t>();
  if (values.contains("loss")) {
    progress.loss = values.at("loss").get<double>();
  }
  return progress;
}

void restore_values(const TrainingState& state, const json& values, const std::vector<std::string>& exclude) {
  const auto excluded = [&exclude](const char* name) { return std::find(exclude.begin(), exclude.end(), name) != exclude.end(); };
  state.progress = progress_from(values.at("progress"));
  if (excluded("lr_scheduler")) {
    state.progress.schedule_step = 0;
  }
  if (!excluded("data")) {
    state.loader.seek(data_position_from_json(values.at("data").dump()));
  }
  if (values.contains("loss_scale")) {
    const json& scale = values.at("loss_scale");
    state.precision.load_state({scale.at("scale").get<double>(), scale.at("steps_since_change").get<std::int64_t>()});
  }
  if (state.guard != nullptr && values.contains("outlier_guard")) {
    state.guard->load_state(values.at("outlier_guard").get<std::vector<double>>());
  }
}

}  // namespace

Snapshot gather(const TrainingState& state, const std::string& config_toml, bool model_only) {
  Snapshot snapshot;
  for (const NamedTensor& parameter : named_parameters(state.model)) {
    snapshot.model.emplace(parameter.name, parameter.tensor.detach());
  }
  if (!model_only) {
    snapshot.optimizer = state.optimizer.state();
  }
  json values = {{"progress", to_json(state.progress)}, {"data", json::parse(to_json(state.loader.position()))}};
  if (const auto scale = state.precision.state()) {
    values["loss_scale"] = {{"scale", scale->scale}, {"steps_since_change", scale->steps_since_change}};
  }
  if (state.guard != nullptr) {
    values["outlier_guard"] = state.guard->state();
  }
  snapshot.values_json = values.dump();
  snapshot.config_toml = config_toml;
  return snapshot;
}

void restore(const TrainingState& state, const Snapshot& snapshot, const std::vector<std::string>& exclude,
             const std::string& source) {
  const bool keeps_optimizer = std::find(exclude.begin(), exclude.end(), "optimizer") != exclude.end();
  if (snapshot.optimizer.empty() && !keeps_optimizer) {
    fail(
        "{} holds a model only, no optimizer state: load it with checkpoint.initial_load_path, or leave the optimizer out with "
        "checkpoint.exclude_from_loading=optimizer",
        source);
  }
  restore_model(state.model, snapshot.model, source);
  if (!keeps_optimizer) {
    state.optimizer.load_state(snapshot.optimizer);
  }
  try {
    restore_values(state, json::parse(snapshot.values_json), exclude);
  } catch (const json::exception& error) {
    fail("{}: the values in index.json are not those of a training run: {}", source, error.what());
  }
}

void restore_model(Model& model, const TensorMap& tensors, const std::string& source) {
  check_and_copy(tensors, named_parameters(model), source + ", model");
}

}  // namespace rhea
