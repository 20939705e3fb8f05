// Reading and writing safetensors files, without their library.
//
// Format: u64 little endian n; n bytes of JSON {"name": {"dtype", "shape", "data_offsets": [begin, end)}, ...,
// "__metadata__": {string: string}}; then the tensors' bytes, row-major, little endian, without gaps.
// Dtypes: F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rhea/optim/named_tensor.h"

namespace rhea {

class MappedFile;

// "F32" and the like. Throws Error for a dtype that the format does not know.
std::string_view safetensors_dtype(at::ScalarType type);
at::ScalarType scalar_type_of(std::string_view safetensors_dtype);

struct WrittenFile {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // XXH64, seed 0, of the whole file
};

// Writes and fsyncs the file. Tensors may be on any device and of any strides; one at a time is brought to the host.
// They are stored by element size, large first, then by name, so that each is aligned. Throws Error (full disk, twice
// the same name, a dtype that the format lacks).
WrittenFile write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                              const std::map<std::string, std::string>& metadata = {});

// A file that is mapped and whose header was checked in full: sizes against the file, shapes against byte ranges,
// ranges without gaps or overlap, no name twice. The data is not read before load().
class SafetensorsFile {
 public:
  struct Entry {
    at::ScalarType dtype = at::kFloat;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;  // bytes, from the start of the data
  };

  // Throws Error naming file, tensor, what was expected and what was found.
  explicit SafetensorsFile(const std::filesystem::path& path);
  SafetensorsFile(SafetensorsFile&&) noexcept;
  ~SafetensorsFile();

  const std::map<std::string, Entry>& entries() const { return entries_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  // A copy on the host. Throws Error if there is no such tensor.
  at::Tensor load(const std::string& name) const;

  // The whole file's XXH64 (seed 0). Reads all of it.
  std::uint64_t checksum() const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<MappedFile> file_;
  std::uint64_t data_start_ = 0;  // bytes, from the start of the file
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace rhea
