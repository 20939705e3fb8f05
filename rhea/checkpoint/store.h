// One checkpoint: a folder step-N with safetensors shards, config.toml and index.json. docs/checkpoint_format.md is exact.
//
// Tensors are addressed by name with their global shape; the index says which slice of it each file holds. Writing
// stores whole tensors (rank 0 holds them); reading puts slices together, however many there are.
#pragma once

#include <cstdint>
#include <filesystem>

#include "rhea/checkpoint/snapshot.h"

namespace rhea {

inline constexpr std::uint64_t kDefaultShardBytes = std::uint64_t{4} << 30;

// Writes folder/step-N so that it is complete or absent whatever happens: written beside as step-N.tmp-PID, every file and
// folder fsynced, renamed, the parent fsynced. A step-N that is there is replaced. A shard is closed before it would
// grow beyond shard_bytes (one larger tensor has a shard of its own). On an Error what was written is removed.
void write_checkpoint(const std::filesystem::path& folder, std::int64_t step, const Snapshot& snapshot,
                      std::uint64_t shard_bytes = kDefaultShardBytes);

// Throws Error saying what is wrong unless the index is well-formed and every file that it names is there with its
// size. Reads no tensor.
void check_checkpoint(const std::filesystem::path& step_folder);

// Reads everything, checking sizes and checksums; throws Error naming the file and what is wrong.
Snapshot read_checkpoint(const std::filesystem::path& step_folder);

// Only the model's tensors; no other tensor file is opened.
TensorMap read_checkpoint_model(const std::filesystem::path& step_folder);

}  // namespace rhea
