// A file that grows by whole records, each handed to the system at once: a killed program loses none.
#pragma once

#include <filesystem>
#include <string_view>

namespace rhea {

enum class AppendMode {
  kExtend,    // an existing file is continued
  kMustBeNew  // an existing file is an error
};

class AppendFile {
 public:
  // Makes the file, not its folder. Throws Error with the path, as append() does.
  AppendFile(std::filesystem::path path, AppendMode mode);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  void append(std::string_view bytes);

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace rhea
