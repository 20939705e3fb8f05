// From a configuration's sections to the parts that a pre-training recipe is made of. Each function reads its own
// sections and hands plain values to one part; whoever needs another part calls that one instead.
#pragma once

#include "rhea/config/pretrain_config.h"
#include "rhea/data/data_loader.h"
#include "rhea/distributed/mesh.h"
#include "rhea/distributed/world.h"
#include "rhea/models/model.h"
#include "rhea/optim/lr_schedule.h"
#include "rhea/optim/optimizer.h"
#include "rhea/optim/outlier_guard.h"
#include "rhea/tokenizers/tokenizer.h"
#include "rhea/train/profiler.h"
#include "rhea/train/progress.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace rhea {

// The configuration that a run left behind, in its folder or in a checkpoint.
PretrainConfig read_run_config(const std::filesystem::path& config_toml);

WorldOptions world_options(const PretrainConfig& config);

// One dimension today: the replicas of the model that share the batch.
Mesh build_mesh(const World& world, const PretrainConfig& config);

// Shapes only, checked against the tokenizer (no token id beyond the vocabulary). vocab_size <= 0: nothing to check.
std::unique_ptr<Model> build_model(const PretrainConfig& config, std::int64_t tokenizer_vocab_size);

// Which layers are computed again in backward: 0 none, 1 all, n every n-th.
std::int64_t recompute_every(const ActivationCheckpointConfig& config);

// How many microbatches of local_batch_size rows a rank makes a step. Throws UsageError with the numbers when
// global_batch_size does not divide.
std::int64_t microbatches_per_step(const TrainingConfig& config, int batch_dim_size);
// "2 ranks x 1 microbatch x 4 rows x 256 tokens = 2,048 tokens a step"
std::string describe_batch(const TrainingConfig& config, int batch_dim_size);

struct TrainingData {
  std::unique_ptr<Tokenizer> tokenizer;
  std::filesystem::path tokenizer_path;
  std::unique_ptr<DataLoader> loader;
  std::unique_ptr<DataLoader> validation;  // null without [validation] enable
};
// Opens the data set (tokenised once, cached) for this rank's part of the batch.
TrainingData build_data(const PretrainConfig& config, const BatchDimInfo& batch_dim);

std::unique_ptr<Optimizer> build_optimizer(const PretrainConfig& config, const Model& model);
LrSchedule build_lr_schedule(const PretrainConfig& config);
std::unique_ptr<OutlierGuard> build_outlier_guard(const PretrainConfig& config);  // null where it is off
ProfilerOptions profiler_options(const PretrainConfig& config);
Budget build_budget(const PretrainConfig& config);
double norm_type(const TrainingConfig& config);

}  // namespace rhea
