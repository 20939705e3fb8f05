#include <ATen/ops/empty.h>
#include <fmt/ranges.h>

#include "rhea/checkpoint/checksum.h"
#include "rhea/checkpoint/index.h"
#include "rhea/checkpoint/safetensors.h"
#include "rhea/checkpoint/step_folders.h"
#include "rhea/checkpoint/store.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"

namespace rhea {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 28;

void check_size(const fs::path& path, std::uint64_t expected) {
  std::error_code error;
  const std::uint64_t found = fs::file_size(path, error);
  if (error) {
    fail("{}: {}", path.string(), error.message());
  }
  if (found != expected) {
    fail("{}: expected {} bytes, found {}: the file was cut short or is another one", path.string(), expected, found);
  }
}

void check_checksum(const fs::path& path, std::uint64_t expected, std::uint64_t found) {
  if (expected != found) {
    fail("{}: expected checksum {}, found {}: the file is damaged", path.string(), to_hex(expected), to_hex(found));
  }
}

CheckpointIndex open_checkpoint(const fs::path& folder) {
  const fs::path path = folder / kIndexName;
  CheckpointIndex index = parse_index(read_file(path, kMaxTextBytes), path.string());
  if (const auto named = step_of(folder.filename().string()); named && *named != index.step) {
    fail("{}: this is the checkpoint of step {}; the folder was renamed", path.string(), index.step);
  }
  for (const auto& [name, record] : index.files) {
    check_size(folder / name, record.bytes);
  }
  return index;
}

// The shards of a section, opened and checked once.
class Shards {
 public:
  Shards(const fs::path& folder, const CheckpointIndex& index) : folder_(folder), index_(index) {}

  at::Tensor load(const std::string& name, const TensorRecord& tensor) {
    const at::ScalarType dtype = scalar_type_of(tensor.dtype);
    for (const Slice& slice : tensor.slices) {
      check_slice(name, dtype, slice);
    }
    // Only now are the sizes believed: the files are as large.
    if (tensor.slices.size() == 1) {
      return open(tensor.slices[0].file).load(name);
    }
    at::Tensor whole = at::empty(tensor.shape, dtype);
    for (const Slice& slice : tensor.slices) {
      at::Tensor part = whole;
      for (std::size_t d = 0; d < slice.shape.size(); ++d) {
        part = part.narrow(static_cast<std::int64_t>(d), slice.offset[d], slice.shape[d]);
      }
      part.copy_(open(slice.file).load(name));
    }
    return whole;
  }

 private:
  const SafetensorsFile& open(const std::string& file) {
    if (const auto found = files_.find(file); found != files_.end()) {
      return found->second;
    }
    SafetensorsFile opened(folder_ / file);
    check_checksum(folder_ / file, index_.files.at(file).checksum, opened.checksum());
    return files_.emplace(file, std::move(opened)).first->second;
  }

  void check_slice(const std::string& name, at::ScalarType dtype, const Slice& slice) {
    const auto& entries = open(slice.file).entries();
    const auto found = entries.find(name);
    const std::string place = fmt::format("{}: tensor {:?}", (folder_ / slice.file).string(), name);
    if (found == entries.end()) {
      fail("{}: the index says it is in this file, but it is not", place);
    }
    if (found->second.dtype != dtype || found->second.shape != slice.shape) {
      fail("{}: expected {} [{}] by the index, found {} [{}]", place, safetensors_dtype(dtype), fmt::join(slice.shape, ", "),
           safetensors_dtype(found->second.dtype), fmt::join(found->second.shape, ", "));
    }
  }

  const fs::path& folder_;
  const CheckpointIndex& index_;
  std::map<std::string, SafetensorsFile> files_;
};

TensorMap read_section(const fs::path& folder, const CheckpointIndex& index, Section section) {
  TensorMap tensors;
  Shards shards(folder, index);
  for (const auto& [name, record] : index.tensors.at(section)) {
    tensors.emplace(name, shards.load(name, record));
  }
  return tensors;
}

std::string read_config(const fs::path& folder, const CheckpointIndex& index) {
  const auto record = index.files.find(kConfigName);
  if (record == index.files.end()) {
    fail("{}: expected \"files\" to list {}", (folder / kIndexName).string(), kConfigName);
  }
  std::string text = read_file(folder / kConfigName, kMaxTextBytes);
  Checksum hash;
  hash.update(text);
  check_checksum(folder / kConfigName, record->second.checksum, hash.digest());
  return text;
}

}  // namespace

void check_checkpoint(const fs::path& step_folder) {
  open_checkpoint(step_folder);
}

Snapshot read_checkpoint(const fs::path& step_folder) {
  const CheckpointIndex index = open_checkpoint(step_folder);
  return {.model = read_section(step_folder, index, Section::kModel),
          .optimizer = read_section(step_folder, index, Section::kOptimizer),
          .values_json = index.values_json,
          .config_toml = read_config(step_folder, index)};
}

TensorMap read_checkpoint_model(const fs::path& step_folder) {
  return read_section(step_folder, open_checkpoint(step_folder), Section::kModel);
}

}  // namespace rhea
