#include "rhea/checkpoint/manager.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "rhea/checkpoint/step_folders.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/core/log.h"

namespace rhea {
namespace {

// Copies into the buffers, which are made where they do not fit.
TensorMap copy_to_host(const TensorMap& tensors, TensorMap& buffers) {
  std::erase_if(buffers, [&](const auto& entry) { return !tensors.contains(entry.first); });
  for (const auto& [name, tensor] : tensors) {
    at::Tensor& buffer = buffers[name];
    if (!buffer.defined() || buffer.sizes() != tensor.sizes() || buffer.scalar_type() != tensor.scalar_type()) {
      // Pinned memory is what a GPU copies into at full speed.
      buffer = at::empty(tensor.sizes(), at::TensorOptions(tensor.scalar_type()).pinned_memory(tensor.is_cuda()));
    }
    buffer.copy_(tensor);
  }
  return buffers;
}

// The failure of the writer, told so that it can be understood a step later and in another place.
[[noreturn]] void fail_saving(const std::filesystem::path& folder, std::int64_t step, std::string_view reason) {
  fail("the checkpoint of step {} could not be saved in {}: {}. Older checkpoints there are untouched.", step, folder.string(),
       reason);
}

void write(const CheckpointOptions& options, std::int64_t step, const Snapshot& snapshot) {
  try {
    write_checkpoint(options.folder, step, snapshot, options.shard_bytes);
  } catch (const c10::Error& error) {
    fail_saving(options.folder, step, error.what_without_backtrace());
  } catch (const std::exception& error) {
    fail_saving(options.folder, step, error.what());
  }
  remove_old_checkpoints(options.folder, step, options.keep_latest_k);
}

}  // namespace

CheckpointManager::CheckpointManager(CheckpointOptions options) : options_(std::move(options)) {
  if (options_.keep_latest_k < 0) {
    fail_usage("checkpoint.keep_latest_k: expected 0 (keep all) or more, found {}", options_.keep_latest_k);
  }
  if (options_.writes) {
    require_writable_folder(options_.folder, "checkpoint.folder");
  }
}

CheckpointManager::~CheckpointManager() {
  try {
    wait();
  } catch (const std::exception& error) {
    log_error("{}", error.what());
  }
}

void CheckpointManager::save(std::int64_t step, const Snapshot& snapshot) {
  wait();
  if (!options_.writes) {
    return;
  }
  warn_of_newer(step);
  if (!options_.async) {
    write(options_, step, snapshot);
    return;
  }
  pending_ =
      std::async(std::launch::async, [options = options_, step, staged = stage(snapshot)] { write(options, step, staged); });
}

void CheckpointManager::wait() {
  if (pending_.valid()) {
    pending_.get();
  }
}

Snapshot CheckpointManager::stage(const Snapshot& snapshot) {
  const c10::AutoGradMode no_grad(false);
  return {.model = copy_to_host(snapshot.model, staged_model_),
          .optimizer = copy_to_host(snapshot.optimizer, staged_optimizer_),
          .values_json = snapshot.values_json,
          .config_toml = snapshot.config_toml};
}

void CheckpointManager::warn_of_newer(std::int64_t step) {
  const auto latest = latest_step();
  if (!warned_of_newer_ && latest && *latest > step) {
    log_warning(
        "{} holds step-{}, which is newer than step-{} that is saved now. It is kept, and resuming takes the newest: "
        "remove it or resume with checkpoint.load_step.",
        options_.folder.string(), *latest, step);
    warned_of_newer_ = true;
  }
}

std::optional<std::int64_t> CheckpointManager::latest_step() const {
  const std::vector<std::int64_t> steps = list_complete_steps(options_.folder);
  return steps.empty() ? std::nullopt : std::optional(steps.back());
}

Snapshot CheckpointManager::load(std::int64_t step) const {
  const std::vector<std::int64_t> steps = list_steps(options_.folder);
  if (std::find(steps.begin(), steps.end(), step) == steps.end()) {
    fail("{}: there is no checkpoint of step {}; there are: {}", options_.folder.string(), step,
         steps.empty() ? "none" : fmt::to_string(fmt::join(steps, ", ")));
  }
  return read_checkpoint(options_.folder / step_folder_name(step));
}

std::optional<LoadedSnapshot> CheckpointManager::load_latest() const {
  std::vector<std::int64_t> steps = list_steps(options_.folder);
  for (; !steps.empty(); steps.pop_back()) {
    try {
      return LoadedSnapshot{.step = steps.back(), .snapshot = load(steps.back())};
    } catch (const Error& error) {
      log_warning("step-{} is broken and is passed over: {}", steps.back(), error.what());
    }
  }
  return std::nullopt;
}

}  // namespace rhea
