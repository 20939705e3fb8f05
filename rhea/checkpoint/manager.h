// Saving and loading the checkpoints of a run.
//
//   CheckpointManager checkpoints({.folder = "outputs/checkpoint", .keep_latest_k = 10});
//   if (auto loaded = checkpoints.load_latest()) { check_and_copy(loaded->snapshot.model, parameters, ...); ... }
//   checkpoints.save(step, snapshot);   // the loop may change the tensors as soon as this returns
//   checkpoints.wait();                 // before the end
//
// Used by one thread. A thread of its own writes; its errors come back from the next save() or wait().
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>

#include "rhea/checkpoint/snapshot.h"
#include "rhea/checkpoint/store.h"

namespace rhea {

struct CheckpointOptions {
  std::filesystem::path folder;     // holds the step-N folders
  std::int64_t keep_latest_k = 10;  // complete checkpoints kept, 0: all
  bool async = true;                // save() returns after copying to the host; false: after writing
  bool writes = true;               // false on ranks other than 0: save() does nothing there
  std::uint64_t shard_bytes = kDefaultShardBytes;
};

struct LoadedSnapshot {
  std::int64_t step = 0;
  Snapshot snapshot;
};

class CheckpointManager {
 public:
  // Proves that the folder can be written in (if this rank writes). UsageError otherwise or for options out of range.
  explicit CheckpointManager(CheckpointOptions options);
  ~CheckpointManager();  // waits for the writer; an error that nobody has seen is logged
  CheckpointManager(const CheckpointManager&) = delete;
  CheckpointManager& operator=(const CheckpointManager&) = delete;

  // Waits for the write before this one, throws its error if it had one, then starts this one. Asynchronous saves copy
  // into host memory that is kept for the next save: as much as the snapshot's tensors.
  void save(std::int64_t step, const Snapshot& snapshot);

  // Returns once everything is safe on disk; throws Error otherwise.
  void wait();

  // The newest step whose folder is complete (its contents are checked when it is loaded).
  std::optional<std::int64_t> latest_step() const;

  // Throws Error naming the file and what is wrong, or listing the steps that are there.
  Snapshot load(std::int64_t step) const;

  // The newest checkpoint that can be read; newer broken ones are warned of, with the reason, and left alone. None: empty.
  std::optional<LoadedSnapshot> load_latest() const;

 private:
  Snapshot stage(const Snapshot& snapshot);
  void warn_of_newer(std::int64_t step);

  CheckpointOptions options_;
  TensorMap staged_model_, staged_optimizer_;  // host memory, reused
  std::future<void> pending_;
  bool warned_of_newer_ = false;
};

}  // namespace rhea
