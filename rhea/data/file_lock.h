// One process at a time: the others wait. The lock ends with the object or its process, however that ends.
#pragma once

#include <filesystem>

namespace rhea {

class FileLock {
 public:
  // Makes the file, which stays, and waits until no other process holds it. Throws Error if that is impossible.
  explicit FileLock(const std::filesystem::path& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  int descriptor_;
};

}  // namespace rhea
