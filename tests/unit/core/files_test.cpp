#include "rhea/core/files.h"

#include "rhea/core/error.h"
#include "tests/unit/core/temporary_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace rhea {
namespace {

namespace fs = std::filesystem;
using testing::message_of;
using testing::TemporaryFolder;

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// The largest file that this process may write, while the object lives: beyond it write() comes short, then fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
    handler_ = signal(SIGXFSZ, SIG_IGN);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_ = SIG_DFL;
};

TEST(Files, ReadBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\n\xff", 5);
  write_file_atomically(folder / "deep/er/file", bytes);
  EXPECT_EQ(read_file(folder / "deep/er/file"), bytes);
  write_file_atomically(folder / "deep/er/file", "");
  EXPECT_EQ(read_file(folder / "deep/er/file"), "");
  EXPECT_EQ(entries(folder / "deep/er"), 1U);
}

TEST(Files, ReadNamesTheFileAndTheReason) {
  const TemporaryFolder folder;
  const auto missing = folder / "missing";
  EXPECT_EQ(message_of<Error>([&] { read_file(missing); }),
            missing.string() + ": cannot read: No such file or directory (check the path)");
  EXPECT_EQ(message_of<Error>([&] { read_file(folder.path()); }), folder.path().string() + ": no regular file but a folder");
  write_file_atomically(folder / "big", "12345");
  EXPECT_EQ(message_of<Error>([&] { read_file(folder / "big", 4); }),
            (folder / "big").string() + ": 5 bytes, more than the 4 that are expected here at most");
}

TEST(Files, APipeIsRefusedInsteadOfWaitedFor) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(message_of<Error>([&] { read_file(folder / "pipe"); }), (folder / "pipe").string() + ": no regular file");
  EXPECT_EQ(message_of<Error>([&] { MappedFile{folder / "pipe"}; }), (folder / "pipe").string() + ": no regular file");
}

TEST(Files, ASparseFileLargerThanMemoryIsAnError) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "sparse", "");
  constexpr off_t kSize = off_t{1} << 43;  // 8 TiB, below ext4's 16
  ASSERT_EQ(truncate((folder / "sparse").c_str(), kSize), 0);
  EXPECT_EQ(message_of<Error>([&] { read_file(folder / "sparse"); }),
            fmt::format("{}: its {} bytes do not fit into this machine's memory", (folder / "sparse").string(), kSize));
}

TEST(Files, AShortWriteIsContinuedAndItsErrorReported) {
  const TemporaryFolder folder;
  const FileSizeLimit limit(1000);
  FileWriter writer(folder / "file");
  writer.write(std::string(900, 'x'));
  EXPECT_EQ(message_of<Error>([&] { writer.write(std::string(900, 'y')); }),
            (folder / "file").string() + ": cannot write: File too large (larger than a file may be here: see ulimit -f)");
  EXPECT_EQ(fs::file_size(folder / "file"), 1000U);
}

TEST(Files, AFailedReplacementLeavesTheOldFileAndNothingBesideIt) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "file", "old");
  {
    const FileSizeLimit limit(1000);
    EXPECT_THROW(write_file_atomically(folder / "file", std::string(5000, 'n')), Error);
  }
  EXPECT_EQ(read_file(folder / "file"), "old");
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(Files, AFullDiskSaysWhatToDo) {
  FileWriter writer("/dev/full");
  EXPECT_EQ(message_of<Error>([&] { writer.write("x"); }),
            "/dev/full: cannot write: No space left on device (the disk is full: free space or choose another folder)");
}

TEST(Files, AFolderInTheWayOfAFile) {
  const TemporaryFolder folder;
  make_folder(folder / "taken");
  const std::string message = message_of<Error>([&] { write_file_atomically(folder / "taken", "x"); });
  EXPECT_EQ(message, (folder / "taken").string() + ": cannot replace: Is a directory");
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(Files, AFileInTheWayOfAFolder) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "file", "x");
  EXPECT_EQ(message_of<Error>([&] { make_folder(folder / "file/below"); }),
            (folder / "file/below").string() + ": cannot make the folder: Not a directory");
  EXPECT_THROW(make_folder(folder / "file"), Error);
  EXPECT_EQ(
      message_of<UsageError>([&] { require_writable_folder(folder / "file/below", "job.dump_folder"); }),
      "job.dump_folder: cannot write there: " + (folder / "file/below").string() + ": cannot make the folder: Not a directory");
}

TEST(Files, AWritableFolderIsMadeAndLeftEmpty) {
  const TemporaryFolder folder;
  require_writable_folder(folder / "new/one", "job.dump_folder");
  EXPECT_TRUE(fs::is_empty(folder / "new/one"));
}

TEST(Files, AnyThreadsMayReplaceOneFile) {
  const TemporaryFolder folder;
  std::vector<std::thread> threads;
  for (char c = 'a'; c < 'e'; ++c) {
    threads.emplace_back([&folder, c] {
      for (int i = 0; i < 20; ++i) {
        write_file_atomically(folder / "file", std::string(10000, c));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const std::string last = read_file(folder / "file");
  EXPECT_EQ(last, std::string(10000, last.front()));
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(Files, AKilledWriterLeavesTheOldOrTheNewFile) {
  const TemporaryFolder folder;
  const auto path = folder / "file";
  write_file_atomically(path, std::string(1 << 20, '0'));
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (char c = '0';; c = c == '9' ? '0' : static_cast<char>(c + 1)) {
        write_file_atomically(path, std::string(1 << 20, c));
      }
    }
    usleep(static_cast<useconds_t>(1000 + 1700 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string bytes = read_file(path);
    ASSERT_EQ(bytes.size(), std::size_t{1} << 20);
    ASSERT_EQ(bytes, std::string(bytes.size(), bytes.front())) << "round " << round;
  }
}

TEST(MappedFile, HoldsTheBytes) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "file", "mapped");
  const MappedFile file(folder / "file");
  const auto bytes = file.bytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "mapped");
  write_file_atomically(folder / "empty", "");
  EXPECT_TRUE(MappedFile(folder / "empty").bytes().empty());
  EXPECT_THROW(MappedFile(folder / "missing"), Error);
}

}  // namespace
}  // namespace rhea
