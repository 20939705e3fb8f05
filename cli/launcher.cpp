#include "cli/launcher.h"

#include "rhea/core/error.h"
#include "rhea/core/log.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace rhea::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A signal handler can reach nothing but a global.
std::atomic<int> received_signal = 0;

void on_signal(int number) {
  received_signal = number;
}

struct Rank {
  int number = 0;
  pid_t process = -1;
  int output = -1;  // descriptor of the unnamed file that holds its output, if it is not shown
  bool running = true;
};

int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  const bool bound = bind(descriptor, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  close(descriptor);
  if (!bound) {
    fail("no free port on loopback for the ranks to meet at");
  }
  return ntohs(address.sin_port);
}

void set_environment(const LaunchOptions& options, int rank, int port) {
  const auto set = [](const char* name, const std::string& value) { setenv(name, value.c_str(), 1); };
  set("RANK", std::to_string(rank));
  set("LOCAL_RANK", std::to_string(rank));
  set("WORLD_SIZE", std::to_string(options.ranks));
  set("LOCAL_WORLD_SIZE", std::to_string(options.ranks));
  set("MASTER_ADDR", "127.0.0.1");
  set("MASTER_PORT", std::to_string(port));
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  setenv("OMP_NUM_THREADS", std::to_string(std::max(1, cores / options.ranks)).c_str(), 0);
}

int unnamed_file() {
  char name[] = "/tmp/rhea-rank-XXXXXX";
  const int descriptor = mkostemp(name, O_CLOEXEC | O_APPEND);
  if (descriptor < 0) {
    fail("/tmp: cannot keep a rank's output there: {}", std::strerror(errno));
  }
  unlink(name);
  return descriptor;
}

[[noreturn]] void become_rank(const LaunchOptions& options, int rank, int port, int output, pid_t launcher) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) {
    _exit(kExitFailed);  // it died before the line above
  }
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  set_environment(options, rank, port);
  if (output >= 0) {
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
  }
  std::vector<std::string> words = {options.program.string()};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  execv(options.program.c_str(), pointers.data());
  std::fprintf(stderr, "%s: cannot start: %s\n", options.program.c_str(), std::strerror(errno));
  _exit(kExitFailed);
}

void signal_all(const std::vector<Rank>& ranks, int number) {
  for (const Rank& rank : ranks) {
    if (rank.running) {
      kill(rank.process, number);
    }
  }
}

// The last lines that a hidden rank wrote.
void show_end_of_output(const Rank& rank) {
  constexpr off_t kShown = 4000;
  const off_t size = rank.output >= 0 ? lseek(rank.output, 0, SEEK_END) : 0;
  if (size <= 0) {
    return;
  }
  std::string text(static_cast<std::size_t>(std::min(size, kShown)), '\0');
  const ssize_t count = pread(rank.output, text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (size > kShown) {
    text.erase(0, text.find('\n') + 1);
  }
  std::fprintf(stderr, "---- the end of rank %d's output ----\n%s----\n", rank.number, text.c_str());
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

int exit_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Rank* find(std::vector<Rank>& ranks, pid_t process) {
  const auto found = std::find_if(ranks.begin(), ranks.end(), [process](const Rank& rank) { return rank.process == process; });
  return found == ranks.end() ? nullptr : &*found;
}

int wait_for_all(std::vector<Rank>& ranks) {
  constexpr auto kGrace = std::chrono::seconds(10);
  int result = kExitDone;
  bool ending = false, killed = false;
  Clock::time_point deadline;
  std::size_t running = ranks.size();
  while (running > 0) {
    if (const int number = received_signal.exchange(0); number != 0) {
      signal_all(ranks, number);
    }
    int status = 0;
    const pid_t process = waitpid(-1, &status, WNOHANG);
    if (process <= 0) {
      if (ending && !killed && Clock::now() > deadline) {
        signal_all(ranks, SIGKILL);
        killed = true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    Rank* rank = find(ranks, process);
    if (rank == nullptr) {
      continue;
    }
    rank->running = false;
    --running;
    if (status != 0 && !ending) {
      show_end_of_output(*rank);
      log_error("rank {} {}; the job ends", rank->number, how_it_ended(status));
      result = exit_status(status);
      ending = true;
      deadline = Clock::now() + kGrace;
      signal_all(ranks, SIGTERM);
    }
  }
  return result;
}

}  // namespace

int launch(const LaunchOptions& options) {
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  const int port = options.port > 0 ? options.port : free_port();
  const pid_t launcher = getpid();
  std::fflush(stdout);
  std::vector<Rank> ranks;
  for (int number = 0; number < options.ranks; ++number) {
    Rank rank{.number = number};
    if (options.shown_rank >= 0 && number != options.shown_rank) {
      rank.output = unnamed_file();
    }
    rank.process = fork();
    if (rank.process == 0) {
      become_rank(options, number, port, rank.output, launcher);
    }
    if (rank.process < 0) {
      const int error = errno;
      signal_all(ranks, SIGKILL);
      fail("cannot start rank {} of {}: {}", number, options.ranks, std::strerror(error));
    }
    ranks.push_back(rank);
  }
  const int result = wait_for_all(ranks);
  for (const Rank& rank : ranks) {
    if (rank.output >= 0) {
      close(rank.output);
    }
  }
  return result;
}

}  // namespace rhea::cli
