// Log lines for people, on standard error: "[rhea] 2026-01-31 12:00:00 INFO  message".
//
// Any thread may log; a line is written whole. Results (samples, tables, plots) go to standard output instead.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace rhea {

enum class LogLevel { kInfo, kWarning, kError };

// Writes one line. Colour is used on a terminal unless NO_COLOR is set.
void log_line(LogLevel level, std::string_view message);

// Which rank this process is. Ranks other than 0 log warnings and errors only, with "rank N" in front.
void set_log_rank(int rank);

// A line that must not be broken by others' lines (a progress bar) registers how to take itself away and come back.
// Both run under the log's lock; null takes the pair out again.
struct LogInterruption {
  void (*before)(void* context) = nullptr;
  void (*after)(void* context) = nullptr;
  void* context = nullptr;
};
void set_log_interruption(LogInterruption interruption);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace rhea
