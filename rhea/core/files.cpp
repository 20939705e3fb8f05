#include "rhea/core/files.h"

#include "rhea/core/error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace rhea {
namespace {

namespace fs = std::filesystem;

const char* advice(int error) {
  switch (error) {
    case ENOENT: return " (check the path)";
    case EACCES:
    case EPERM:
    case EROFS: return " (no permission: choose another folder or change its permissions)";
    case ENOSPC:
    case EDQUOT: return " (the disk is full: free space or choose another folder)";
    case EFBIG: return " (larger than a file may be here: see ulimit -f)";
    default: return "";
  }
}

[[noreturn]] void fail_errno(const fs::path& path, std::string_view what) {
  const int error = errno;
  fail("{}: {}: {}{}", path.string(), what, std::strerror(error), advice(error));
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, std::string_view what, mode_t mode = 0)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, mode)) {
    if (fd_ < 0) {
      fail_errno(path, what);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// A pipe must be refused, not waited for: without O_NONBLOCK open() hangs until somebody writes to it.
constexpr int kReadFlags = O_RDONLY | O_NONBLOCK;

std::uint64_t regular_file_size(const Descriptor& file, const fs::path& path) {
  struct stat status{};
  if (fstat(file.get(), &status) != 0) {
    fail_errno(path, "cannot read");
  }
  if (!S_ISREG(status.st_mode)) {
    fail("{}: no regular file{}", path.string(), S_ISDIR(status.st_mode) ? " but a folder" : "");
  }
  return static_cast<std::uint64_t>(status.st_size);
}

// A sparse file may claim any size, and where memory is overcommitted the allocation succeeds and the process dies later.
void check_fits_into_memory(std::uint64_t size, const fs::path& path) {
  const auto memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (size > memory) {
    fail("{}: its {} bytes do not fit into this machine's memory", path.string(), size);
  }
}

// Beside the file, so that rename() stays on one file system; its own for each process and call.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> calls = 0;
  fs::path beside = path;
  beside += fmt::format(".tmp-{}-{}", getpid(), calls++);
  return beside;
}

}  // namespace

std::string read_file(const fs::path& path, std::uint64_t max_bytes) {
  const Descriptor file(path, kReadFlags, "cannot read");
  const std::uint64_t size = regular_file_size(file, path);
  if (size > max_bytes) {
    fail("{}: {} bytes, more than the {} that are expected here at most", path.string(), size, max_bytes);
  }
  check_fits_into_memory(size, path);
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      fail_errno(path, "cannot read");
    }
    if (count == 0) {
      fail("{}: became shorter while it was read", path.string());
    }
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  if (path.has_parent_path()) {
    make_folder(path.parent_path());
  }
  const fs::path beside = temporary_beside(path);
  try {
    FileWriter writer(beside);
    writer.write(bytes);
    writer.close();
    if (rename(beside.c_str(), path.c_str()) != 0) {
      fail_errno(path, "cannot replace");
    }
  } catch (...) {
    unlink(beside.c_str());
    throw;
  }
  sync_folder(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    errno = error.value();
    fail_errno(path, "cannot make the folder");
  }
  if (!fs::is_directory(path, error)) {
    fail("{}: cannot make the folder: a file of that name is in the way", path.string());
  }
}

void require_writable_folder(const fs::path& path, std::string_view purpose) {
  try {
    make_folder(path);
    const fs::path probe = path / ".probe";
    write_file_atomically(probe, "probe");
    unlink(probe.c_str());
  } catch (const Error& error) {
    fail_usage("{}: cannot write there: {}", purpose, error.what());
  }
}

void sync_folder(const fs::path& path) {
  const Descriptor folder(path, O_RDONLY | O_DIRECTORY, "cannot open the folder");
  if (fsync(folder.get()) != 0 && errno != EINVAL) {  // EINVAL: a file system that has no such thing
    fail_errno(path, "cannot sync the folder");
  }
}

FileWriter::FileWriter(const fs::path& path) : path_(path) {
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    fail_errno(path, "cannot write");
  }
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void FileWriter::write(const void* data, std::size_t bytes) {
  write_all(data, bytes, [this](const char* next, std::size_t left, std::size_t) { return ::write(descriptor_, next, left); });
}

void FileWriter::overwrite(std::uint64_t offset, const void* data, std::size_t bytes) {
  write_all(data, bytes, [&](const char* next, std::size_t left, std::size_t done) {
    return ::pwrite(descriptor_, next, left, static_cast<off_t>(offset + done));
  });
}

// The system may take less than it is given.
template <class Write>
void FileWriter::write_all(const void* data, std::size_t bytes, const Write& write) {
  const auto* bytes_of = static_cast<const char*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = write(bytes_of + done, bytes - done, done);
    if (count < 0 && errno != EINTR) {
      fail_errno(path_, "cannot write");
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
}

void FileWriter::close() {
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {  // EINVAL: a pipe or a device
    fail_errno(path_, "cannot write");
  }
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) {
    fail_errno(path_, "cannot write");
  }
}

MappedFile::MappedFile(const fs::path& path) {
  const Descriptor file(path, kReadFlags, "cannot read");
  size_ = regular_file_size(file, path);
  if (size_ == 0) {
    return;
  }
  void* data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) {
    fail_errno(path, "cannot map");
  }
  data_ = data;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    munmap(data_, size_);
  }
}

}  // namespace rhea
