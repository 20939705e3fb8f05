#include <ATen/ops/empty.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "rhea/checkpoint/checksum.h"
#include "rhea/checkpoint/json.h"
#include "rhea/checkpoint/safetensors.h"
#include "rhea/checkpoint/shape.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"

namespace rhea {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the reference implementation

using Entry = SafetensorsFile::Entry;

Entry parse_entry(const nlohmann::json& value, std::uint64_t data_bytes, const std::string& place) {
  Entry entry;
  const std::string& dtype = json_string(value, "dtype", place);
  try {
    entry.dtype = scalar_type_of(dtype);
  } catch (const Error& error) {
    fail("{}: {}", place, error.what());
  }
  entry.shape = json_sizes(value, "shape", place);
  const auto offsets = json_sizes(value, "data_offsets", place);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || static_cast<std::uint64_t>(offsets[1]) > data_bytes) {
    fail("{}: expected \"data_offsets\" [begin, end] with begin <= end <= {} (the file's data), found [{}]", place, data_bytes,
         fmt::join(offsets, ", "));
  }
  entry.begin = static_cast<std::uint64_t>(offsets[0]);
  entry.end = static_cast<std::uint64_t>(offsets[1]);
  const auto elements = checked_numel(entry.shape);
  std::uint64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(*elements, c10::elementSize(entry.dtype), &bytes) || bytes != entry.end - entry.begin) {
    fail("{}: shape [{}] of {} needs {} bytes, but data_offsets give {}", place, fmt::join(entry.shape, ", "), dtype,
         elements ? fmt::to_string(bytes) : "more than 2^63", entry.end - entry.begin);
  }
  return entry;
}

std::map<std::string, std::string> parse_metadata(const nlohmann::json& value, const std::string& place) {
  std::map<std::string, std::string> metadata;
  const auto is_string = [](const nlohmann::json& x) { return x.is_string(); };
  if (!value.is_object() || !std::all_of(value.begin(), value.end(), is_string)) {
    fail("{}: expected __metadata__ to be an object of strings", place);
  }
  for (const auto& [key, text] : value.items()) {
    metadata.emplace(key, text.get<std::string>());
  }
  return metadata;
}

// Every byte of the data belongs to exactly one tensor.
void check_ranges(const std::map<std::string, Entry>& entries, std::uint64_t data_bytes, const std::string& place) {
  std::vector<std::pair<const Entry*, const std::string*>> sorted;
  for (const auto& [name, entry] : entries) {
    sorted.emplace_back(&entry, &name);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first->begin, a.first->end) < std::pair(b.first->begin, b.first->end);
  });
  std::uint64_t offset = 0;
  for (const auto& [entry, name] : sorted) {
    if (entry->begin != offset) {
      fail("{}: tensor {:?}: expected its data to begin at byte {}, where the one before it ends, found {}", place, *name, offset,
           entry->begin);
    }
    offset = entry->end;
  }
  if (offset != data_bytes) {
    fail("{}: the tensors take {} bytes, but the file has {} bytes of data: it was cut short or something was added", place,
         offset, data_bytes);
  }
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path), file_(std::make_unique<MappedFile>(path)) {
  const std::span bytes = file_->bytes();
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) {
    fail("{}: expected a safetensors file, found only {} bytes", path.string(), bytes.size());
  }
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::uint64_t available = bytes.size() - sizeof length;
  if (length > kMaxHeaderBytes) {
    fail("{}: the header is said to have {} bytes, more than the {} allowed: not a safetensors file, or damaged", path.string(),
         length, kMaxHeaderBytes);
  }
  if (length > available) {
    fail("{}: the header is said to have {} bytes, but only {} follow: the file was cut short, or is no safetensors file",
         path.string(), length, available);
  }
  data_start_ = sizeof length + length;
  const std::uint64_t data_bytes = bytes.size() - data_start_;
  const std::string header_place = fmt::format("{}: header", path.string());
  const std::string_view text = text_of(bytes).substr(sizeof length, length);
  if (text.empty() || text.front() != '{') {
    fail("{}: expected to begin with '{{' at byte 8: not a safetensors file, or damaged", header_place);
  }
  const nlohmann::json header = parse_json(text, header_place);
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      metadata_ = parse_metadata(value, header_place);
    } else {
      entries_.emplace(name, parse_entry(value, data_bytes, fmt::format("{}: tensor {:?}", path.string(), name)));
    }
  }
  check_ranges(entries_, data_bytes, path.string());
}

SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile::~SafetensorsFile() = default;

at::Tensor SafetensorsFile::load(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    fail("{}: there is no tensor {:?} among its {}", path_.string(), name, entries_.size());
  }
  const Entry& entry = found->second;
  at::Tensor tensor = at::empty(entry.shape, entry.dtype);
  if (entry.end > entry.begin) {
    std::memcpy(tensor.mutable_data_ptr(), file_->bytes().data() + data_start_ + entry.begin, entry.end - entry.begin);
  }
  return tensor;
}

std::uint64_t SafetensorsFile::checksum() const {
  Checksum hash;
  hash.update(text_of(file_->bytes()));
  return hash.digest();
}

}  // namespace rhea
