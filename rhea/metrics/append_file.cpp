#include "rhea/metrics/append_file.h"

#include "rhea/core/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace rhea {

AppendFile::AppendFile(std::filesystem::path path, AppendMode mode) : path_(std::move(path)) {
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (mode == AppendMode::kMustBeNew ? O_EXCL : 0);
  descriptor_ = open(path_.c_str(), flags, 0644);
  if (descriptor_ < 0) {
    fail("{}: cannot write: {}", path_.string(), std::strerror(errno));
  }
}

AppendFile::~AppendFile() {
  ::close(descriptor_);
}

void AppendFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      fail("{}: cannot write: {}{}", path_.string(), std::strerror(errno),
           errno == ENOSPC || errno == EDQUOT ? " (the disk is full: free space, then resume the run)" : "");
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace rhea
