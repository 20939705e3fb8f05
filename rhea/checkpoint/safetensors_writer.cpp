#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>

#include "rhea/checkpoint/checksum.h"
#include "rhea/checkpoint/safetensors.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"

namespace rhea {
namespace {

// Small enough to be hashed and written from the cache.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

class HashingWriter {
 public:
  explicit HashingWriter(const std::filesystem::path& path) : file_(path) {}

  void write(const void* data, std::size_t bytes) {
    const auto* next = static_cast<const char*>(data);
    for (written_.bytes += bytes; bytes > 0;) {
      const std::size_t chunk = std::min(bytes, kChunkBytes);
      hash_.update(next, chunk);
      file_.write(next, chunk);
      next += chunk;
      bytes -= chunk;
    }
  }

  WrittenFile close() {
    file_.close();
    written_.checksum = hash_.digest();
    return written_;
  }

 private:
  FileWriter file_;
  Checksum hash_;
  WrittenFile written_;
};

std::vector<NamedTensor> in_file_order(std::span<const NamedTensor> tensors, const std::filesystem::path& path) {
  std::vector<NamedTensor> sorted(tensors.begin(), tensors.end());
  std::sort(sorted.begin(), sorted.end(), [](const NamedTensor& a, const NamedTensor& b) {
    const auto size_a = a.tensor.element_size(), size_b = b.tensor.element_size();
    return std::tie(size_b, a.name) < std::tie(size_a, b.name);
  });
  std::vector<std::string_view> names;
  for (const NamedTensor& tensor : sorted) {
    names.push_back(tensor.name);
  }
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    fail("{}: cannot write two tensors with the name {:?}", path.string(), *twice);
  }
  if (std::binary_search(names.begin(), names.end(), "__metadata__")) {
    fail("{}: a tensor must not be named __metadata__", path.string());
  }
  return sorted;
}

std::string make_header(const std::vector<NamedTensor>& tensors, const std::map<std::string, std::string>& metadata,
                        const std::filesystem::path& path) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) {
    header["__metadata__"] = metadata;
  }
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::uint64_t end = offset + tensor.nbytes();
    header[name] = {
        {"dtype", safetensors_dtype(tensor.scalar_type())}, {"shape", tensor.sizes().vec()}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  try {
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
  } catch (const nlohmann::json::exception& error) {
    fail("{}: a tensor's name or the metadata is not UTF-8: {}", path.string(), error.what());
  }
}

}  // namespace

WrittenFile write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                              const std::map<std::string, std::string>& metadata) {
  const std::vector<NamedTensor> sorted = in_file_order(tensors, path);
  const std::string header = make_header(sorted, metadata, path);
  HashingWriter file(path);
  const std::uint64_t length = header.size();
  file.write(&length, sizeof length);
  file.write(header.data(), header.size());
  for (const auto& [name, tensor] : sorted) {
    const at::Tensor bytes = tensor.detach().to(at::kCPU).contiguous();
    file.write(bytes.const_data_ptr(), bytes.nbytes());
  }
  return file.close();
}

}  // namespace rhea
