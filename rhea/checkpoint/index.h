// index.json: what a checkpoint is made of. docs/checkpoint_format.md describes the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

// Tensors come in two sections, kept apart so that a model can be loaded alone.
enum class Section { kModel, kOptimizer };
std::string_view name_of(Section section);  // "model", "optimizer"

struct FileRecord {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // XXH64, seed 0
};

// The part of a tensor that one file holds, under the tensor's name.
struct Slice {
  std::string file;
  std::vector<std::int64_t> offset, shape;  // as many numbers as the tensor has dimensions
};

struct TensorRecord {
  std::string dtype;                // as in safetensors files
  std::vector<std::int64_t> shape;  // of the whole tensor
  std::vector<Slice> slices;        // cover it, each element once
};

struct CheckpointIndex {
  std::int64_t step = 0;
  std::map<std::string, FileRecord> files;
  std::map<Section, std::map<std::string, TensorRecord>> tensors;
  std::string values_json = "{}";
};

inline constexpr const char* kIndexName = "index.json";
inline constexpr const char* kConfigName = "config.toml";

// The text of index.json. Throws Error if values_json is no JSON object.
std::string to_text(const CheckpointIndex& index);

// Checks everything that can be checked without the other files; throws Error beginning with `place`.
CheckpointIndex parse_index(std::string_view text, const std::string& place);

}  // namespace rhea
