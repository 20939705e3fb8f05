#include "rhea/checkpoint/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <system_error>
#include <vector>

#include "rhea/checkpoint/checksum.h"
#include "rhea/checkpoint/index.h"
#include "rhea/checkpoint/safetensors.h"
#include "rhea/checkpoint/step_folders.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"

namespace rhea {
namespace {

namespace fs = std::filesystem;

std::vector<std::vector<NamedTensor>> cut_into_shards(const TensorMap& tensors, std::uint64_t shard_bytes) {
  std::vector<std::vector<NamedTensor>> shards;
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : tensors) {
    if (shards.empty() || bytes + tensor.nbytes() > shard_bytes) {
      shards.emplace_back();
      bytes = 0;
    }
    shards.back().push_back({name, tensor});
    bytes += tensor.nbytes();
  }
  return shards;
}

void write_section(const fs::path& folder, Section section, const TensorMap& tensors, std::uint64_t shard_bytes,
                   CheckpointIndex& index) {
  const auto shards = cut_into_shards(tensors, shard_bytes);
  auto& records = index.tensors[section];
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string file = fmt::format("{}-{:05}-of-{:05}.safetensors", name_of(section), i + 1, shards.size());
    const WrittenFile written = write_safetensors(folder / file, shards[i], {{"format", "pt"}});
    index.files[file] = {.bytes = written.bytes, .checksum = written.checksum};
    for (const auto& [name, tensor] : shards[i]) {
      const std::vector<std::int64_t> shape = tensor.sizes().vec(), origin(shape.size(), 0);
      records[name] = {.dtype = std::string(safetensors_dtype(tensor.scalar_type())),
                       .shape = shape,
                       .slices = {{.file = file, .offset = origin, .shape = shape}}};
    }
  }
}

FileRecord write_text(const fs::path& path, std::string_view text) {
  FileWriter file(path);
  file.write(text);
  file.close();
  Checksum hash;
  hash.update(text);
  return {.bytes = text.size(), .checksum = hash.digest()};
}

void rename_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    fail("{}: cannot be renamed to {}: {}", from.string(), to.filename().string(), error.message());
  }
}

// Puts the finished folder in place. Where a checkpoint of that step exists already, the two change places in one act,
// and the old one goes.
void put_in_place(const fs::path& finished, const fs::path& target) {
  const bool replaces = fs::exists(target);
  if (replaces && renameat2(AT_FDCWD, finished.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) {
    fs::remove_all(target);  // a file system that cannot exchange (NFS)
    rename_folder(finished, target);
  } else if (!replaces) {
    rename_folder(finished, target);
  }
  sync_folder(target.parent_path());
  fs::remove_all(finished);
}

}  // namespace

void write_checkpoint(const fs::path& folder, std::int64_t step, const Snapshot& snapshot, std::uint64_t shard_bytes) {
  const fs::path target = folder / step_folder_name(step);
  const fs::path unfinished = folder / fmt::format("{}.tmp-{}", step_folder_name(step), getpid());
  make_folder(folder);
  try {
    fs::remove_all(unfinished);  // of a dead process that had our number
    make_folder(unfinished);
    CheckpointIndex index;
    index.step = step;
    index.values_json = snapshot.values_json;
    write_section(unfinished, Section::kModel, snapshot.model, shard_bytes, index);
    write_section(unfinished, Section::kOptimizer, snapshot.optimizer, shard_bytes, index);
    index.files[kConfigName] = write_text(unfinished / kConfigName, snapshot.config_toml);
    write_text(unfinished / kIndexName, to_text(index));
    sync_folder(unfinished);
    put_in_place(unfinished, target);
  } catch (...) {
    std::error_code ignored;  // the first error is the one to tell
    fs::remove_all(unfinished, ignored);
    throw;
  }
}

}  // namespace rhea
