#include "rhea/data/file_lock.h"

#include "rhea/core/error.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rhea {

FileLock::FileLock(const std::filesystem::path& path) : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) {
    fail("{}: cannot be opened: {}", path.string(), std::generic_category().message(errno));
  }
  while (::flock(descriptor_, LOCK_EX) != 0) {
    if (errno != EINTR) {
      const int reason = errno;
      ::close(descriptor_);
      fail("{}: cannot be locked: {}", path.string(), std::generic_category().message(reason));
    }
  }
}

FileLock::~FileLock() {
  ::close(descriptor_);
}

}  // namespace rhea
