#include "rhea/core/log.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>

namespace rhea {
namespace {

struct LogState {
  std::mutex mutex;
  int rank = 0;
  LogInterruption interruption;
  bool colour = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
};

LogState& state() {
  static LogState instance;
  return instance;
}

const char* name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo: return "INFO ";
    case LogLevel::kWarning: return "WARN ";
    case LogLevel::kError: return "ERROR";
  }
  return "";
}

const char* colour_of(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo: return "";
    case LogLevel::kWarning: return "\033[33m";
    case LogLevel::kError: return "\033[31m";
  }
  return "";
}

}  // namespace

void set_log_rank(int rank) {
  const std::lock_guard lock(state().mutex);
  state().rank = rank;
}

void set_log_interruption(LogInterruption interruption) {
  const std::lock_guard lock(state().mutex);
  state().interruption = interruption;
}

void log_line(LogLevel level, std::string_view message) {
  LogState& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.rank != 0 && level == LogLevel::kInfo) {
    return;
  }
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &local);
  const std::string rank = s.rank == 0 ? "" : fmt::format("rank {}: ", s.rank);
  const std::string_view colour = s.colour ? colour_of(level) : "";
  const std::string line =
      fmt::format("{}[rhea] {} {} {}{}{}\n", colour, stamp, name_of(level), rank, message, colour.empty() ? "" : "\033[0m");
  if (s.interruption.before != nullptr) {
    s.interruption.before(s.interruption.context);
  }
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  if (s.interruption.after != nullptr) {
    s.interruption.after(s.interruption.context);
  }
}

}  // namespace rhea
