// A folder of a test's own, gone with the object.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace rhea::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rhea-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What an Error thrown by f says; "" when it throws none.
template <class Exception, class Function>
std::string message_of(const Function& f) {
  try {
    f();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace rhea::testing
