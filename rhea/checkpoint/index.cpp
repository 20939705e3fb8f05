#include "rhea/checkpoint/index.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "rhea/checkpoint/checksum.h"
#include "rhea/checkpoint/coverage.h"
#include "rhea/checkpoint/json.h"
#include "rhea/core/error.h"

namespace rhea {
namespace {

constexpr std::string_view kFormat = "rhea-checkpoint";
constexpr std::int64_t kVersion = 1;

// The first line is all that the checksum does not cover: {"checksum": "0123456789abcdef",
constexpr std::string_view kFirstLineStart = "{\"checksum\": \"", kFirstLineEnd = "\",\n";
constexpr std::size_t kFirstLineBytes = kFirstLineStart.size() + 16 + kFirstLineEnd.size();

// An object with one member a line, for people who look into the file.
template <class Map, class ToJson>
std::string lines(const Map& map, ToJson to_json) {
  std::vector<std::string> members;
  for (const auto& [name, value] : map) {
    members.push_back(fmt::format("{}: {}", nlohmann::json(name).dump(), to_json(value).dump()));
  }
  return fmt::format("{{\n{}}}", fmt::join(members, ",\n"));
}

nlohmann::json to_json(const FileRecord& file) {
  return {{"bytes", file.bytes}, {"xxh64", to_hex(file.checksum)}};
}

nlohmann::json to_json(const TensorRecord& tensor) {
  nlohmann::json slices = nlohmann::json::array();
  for (const Slice& slice : tensor.slices) {
    slices.push_back({{"file", slice.file}, {"offset", slice.offset}, {"shape", slice.shape}});
  }
  return {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"slices", slices}};
}

// Names in a file must not lead out of the checkpoint's folder.
void check_file_name(const std::string& name, const std::string& place) {
  if (name.empty() || name == "." || name == ".." || name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos) {
    fail("{}: expected the name of a file in the same folder, found {:?}", place, name);
  }
}

FileRecord parse_file(const nlohmann::json& value, const std::string& place) {
  const std::string& hex = json_string(value, "xxh64", place);
  if (hex.size() != 16 || hex.find_first_not_of("0123456789abcdef") != std::string::npos) {
    fail("{}: expected \"xxh64\" to be 16 hexadecimal digits, found {:?}", place, hex);
  }
  return {.bytes = static_cast<std::uint64_t>(json_size(value, "bytes", place)), .checksum = std::stoull(hex, nullptr, 16)};
}

TensorRecord parse_tensor(const nlohmann::json& value, const std::map<std::string, FileRecord>& files, const std::string& place) {
  TensorRecord tensor;
  tensor.dtype = json_string(value, "dtype", place);
  tensor.shape = json_sizes(value, "shape", place);
  const nlohmann::json& slices = json_member(value, "slices", place);
  if (!slices.is_array()) {
    fail("{}: expected \"slices\" to be a list", place);
  }
  for (const nlohmann::json& slice : slices) {
    tensor.slices.push_back({.file = json_string(slice, "file", place),
                             .offset = json_sizes(slice, "offset", place),
                             .shape = json_sizes(slice, "shape", place)});
    if (!files.contains(tensor.slices.back().file)) {
      fail("{}: a slice is said to be in {:?}, which \"files\" does not list", place, tensor.slices.back().file);
    }
  }
  check_coverage(tensor, place);
  return tensor;
}

const nlohmann::json& object_member(const nlohmann::json& object, std::string_view key, const std::string& place) {
  const nlohmann::json& value = json_member(object, std::string(key).c_str(), place);
  if (!value.is_object()) {
    fail("{}: expected {:?} to be an object, found {}", place, key, value.type_name());
  }
  return value;
}

// The checksum comes first: of a damaged text nothing else can be said.
void check_checksum(std::string_view text, const std::string& place) {
  const bool framed = text.size() > kFirstLineBytes && text.starts_with(kFirstLineStart) &&
                      text.substr(0, kFirstLineBytes).ends_with(kFirstLineEnd);
  if (!framed) {
    fail("{}: expected to begin with {}<16 hexadecimal digits>\",: not the index of a checkpoint, or damaged", place,
         kFirstLineStart);
  }
  Checksum hash;
  hash.update(text.substr(kFirstLineBytes));
  const std::string_view expected = text.substr(kFirstLineStart.size(), 16);
  if (to_hex(hash.digest()) != expected) {
    fail("{}: expected checksum {}, found {}: the file is damaged or was edited", place, expected, to_hex(hash.digest()));
  }
}

}  // namespace

std::string_view name_of(Section section) {
  return section == Section::kModel ? "model" : "optimizer";
}

std::string to_text(const CheckpointIndex& index) {
  const nlohmann::json values = parse_json(index.values_json, "the snapshot's values");
  if (!values.is_object()) {
    fail("the snapshot's values: expected a JSON object, found {}", values.type_name());
  }
  const auto dump = [](const auto& record) { return to_json(record); };
  std::string body = fmt::format("\"format\": \"{}\",\n\"version\": {},\n\"step\": {},\n", kFormat, kVersion, index.step);
  body += fmt::format("\"files\": {},\n", lines(index.files, dump));
  for (const auto& [section, tensors] : index.tensors) {
    body += fmt::format("\"{}\": {},\n", name_of(section), lines(tensors, dump));
  }
  body += fmt::format("\"values\": {}}}\n", values.dump());
  Checksum hash;
  hash.update(body);
  return fmt::format("{}{}{}{}", kFirstLineStart, to_hex(hash.digest()), kFirstLineEnd, body);
}

CheckpointIndex parse_index(std::string_view text, const std::string& place) {
  check_checksum(text, place);
  const nlohmann::json json = parse_json(text, place);
  if (const std::string& format = json_string(json, "format", place); format != kFormat) {
    fail("{}: expected \"format\" to be {:?}, found {:?}", place, kFormat, format);
  }
  if (const std::int64_t version = json_size(json, "version", place); version != kVersion) {
    fail("{}: format version {} was written by a newer Rhea; this one reads version {}", place, version, kVersion);
  }
  CheckpointIndex index;
  index.step = json_size(json, "step", place);
  for (const auto& [name, value] : object_member(json, "files", place).items()) {
    check_file_name(name, place);
    index.files.emplace(name, parse_file(value, fmt::format("{}: file {:?}", place, name)));
  }
  for (const Section section : {Section::kModel, Section::kOptimizer}) {
    auto& tensors = index.tensors[section];
    for (const auto& [name, value] : object_member(json, name_of(section), place).items()) {
      tensors.emplace(name, parse_tensor(value, index.files, fmt::format("{}: {} tensor {:?}", place, name_of(section), name)));
    }
  }
  index.values_json = object_member(json, "values", place).dump();
  return index;
}

}  // namespace rhea
