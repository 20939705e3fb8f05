// Reading and writing files so that nothing is lost and nothing half-written is ever seen.
//
// Every function throws Error with the path and the system's reason. All of them may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rhea {

// The whole file. Throws if it is missing, no regular file, or larger than max_bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max());

// Replaces the file or leaves the old one: writes beside it, fsyncs, renames, fsyncs the folder. Makes parent folders.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// mkdir -p with a message that names what is in the way.
void make_folder(const std::filesystem::path& path);

// Makes the folder if it is not there and proves that files can be written in it. `purpose` names the setting that
// asked for it, for the message: "job.dump_folder".
void require_writable_folder(const std::filesystem::path& path, std::string_view purpose);

// Makes the folder's entries (a rename above all) survive a power cut.
void sync_folder(const std::filesystem::path& path);

// A file that is written front to back. Nothing counts as written before close() has returned: it flushes and fsyncs.
class FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path);  // creates or truncates
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();  // closes without fsync if close() was not called
  void write(const void* data, std::size_t bytes);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  // Over what stands there already; where write() goes on does not change. For headers that tell what follows.
  void overwrite(std::uint64_t offset, const void* data, std::size_t bytes);
  void close();

 private:
  template <class Write>
  void write_all(const void* data, std::size_t bytes, const Write& write);

  std::filesystem::path path_;
  int descriptor_ = -1;
};

// A whole file mapped read-only. The bytes live as long as this object. An empty file gives an empty span.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rhea
