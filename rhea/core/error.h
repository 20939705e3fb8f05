// Errors that the world outside may cause: wrong input, a full disk, a lost peer.
//
// A message names the thing, the place, what was expected and what to do. Our own mistakes are assertions, not Errors.
// Errors never cross a thread: a thread catches, stores, and the owner rethrows.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace rhea {

// Exit statuses of every program of ours.
enum ExitStatus : int { kExitDone = 0, kExitFailed = 1, kExitUsage = 2 };

// Failed while running (exit 1).
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitStatus status = kExitFailed) : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

// Wrong usage or configuration (exit 2): the user can mend it by changing what they typed or wrote.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(message, kExitUsage) {}
};

// Throws an Error (exit 1) with a formatted message: fail("{}: no such file", path).
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

// Throws a UsageError (exit 2) with a formatted message.
template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace rhea
