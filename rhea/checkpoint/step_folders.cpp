#include "rhea/checkpoint/step_folders.h"

#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <system_error>

#include "rhea/checkpoint/index.h"
#include "rhea/checkpoint/store.h"
#include "rhea/core/error.h"
#include "rhea/core/log.h"

namespace rhea {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-", kUnfinished = ".tmp-";
constexpr std::size_t kMaxListed = 10;

// A whole number >= 0 in its only decimal form.
std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || fmt::to_string(value) != text || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Why check_checkpoint refuses it; empty if it does not.
std::string refusal(const fs::path& step_folder) {
  try {
    check_checkpoint(step_folder);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<std::string> entries_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// True for step-M.tmp-PID with M <= step that no living process of this machine is writing.
bool is_leftover(std::string_view name, std::int64_t step) {
  const std::size_t dot = name.find(kUnfinished);
  if (dot == std::string_view::npos) {
    return false;
  }
  const auto of_step = step_of(name.substr(0, dot));
  const auto id = parse_number(name.substr(dot + kUnfinished.size()));
  if (!of_step || *of_step > step || !id || *id == 0 || *id > std::numeric_limits<pid_t>::max()) {
    return false;
  }
  // Ours too: it is called when nothing is being written.
  return *id == getpid() || (kill(static_cast<pid_t>(*id), 0) != 0 && errno == ESRCH);
}

void remove_folder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) {
    log_warning("{}: cannot be removed: {}", folder.string(), error.message());
  }
}

}  // namespace

std::string step_folder_name(std::int64_t step) {
  return fmt::format("{}{}", kPrefix, step);
}

std::optional<std::int64_t> step_of(std::string_view name) {
  return name.starts_with(kPrefix) ? parse_number(name.substr(kPrefix.size())) : std::nullopt;
}

std::vector<std::int64_t> list_steps(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  std::error_code error;
  for (const std::string& name : entries_of(folder)) {
    const auto step = step_of(name);
    if (step && fs::is_directory(folder / name, error)) {
      steps.push_back(*step);
    }
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::vector<std::int64_t> list_complete_steps(const fs::path& folder) {
  std::vector<std::int64_t> steps = list_steps(folder);
  std::erase_if(steps, [&](std::int64_t step) { return !refusal(folder / step_folder_name(step)).empty(); });
  return steps;
}

void remove_old_checkpoints(const fs::path& folder, std::int64_t step, std::int64_t keep) {
  for (const std::string& name : entries_of(folder)) {
    if (is_leftover(name, step)) {
      remove_folder(folder / name);
    }
  }
  if (keep == 0) {
    return;
  }
  std::vector<std::int64_t> steps = list_complete_steps(folder);
  std::erase_if(steps, [&](std::int64_t other) { return other > step; });
  steps.resize(steps.size() - std::min(steps.size(), static_cast<std::size_t>(keep)));
  for (const std::int64_t old : steps) {
    // Renamed first: a kill in the middle leaves no half checkpoint.
    const fs::path path = folder / step_folder_name(old);
    const fs::path doomed = folder / fmt::format("{}{}{}", step_folder_name(old), kUnfinished, getpid());
    std::error_code error;
    fs::rename(path, doomed, error);
    if (error) {
      log_warning("{}: cannot be removed: {}", path.string(), error.message());
      continue;
    }
    remove_folder(doomed);
  }
}

fs::path resolve_checkpoint(const fs::path& path, std::string_view folder_name) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    fail_usage("{}: expected the folder of a checkpoint or of a run, found {}", path.string(),
               error ? error.message() : "no such folder");
  }
  if (fs::exists(path / kIndexName, error)) {
    return path;
  }
  std::string broken;
  for (const fs::path& folder : {path, path / folder_name}) {
    const std::vector<std::int64_t> steps = list_steps(folder);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      const fs::path candidate = folder / step_folder_name(*step);
      const std::string reason = refusal(candidate);
      if (reason.empty()) {
        return candidate;
      }
      broken += fmt::format("; {} is broken ({})", candidate.filename().string(), reason);
    }
  }
  std::vector<std::string> entries = entries_of(path);
  const std::string more = entries.size() > kMaxListed ? ", ..." : "";
  entries.resize(std::min(entries.size(), kMaxListed));
  fail_usage(
      "{}: no complete checkpoint there. Expected a step-N folder with {}, a folder of such, or a run's folder with {}/. Found: "
      "{}{}{}",
      path.string(), kIndexName, folder_name, entries.empty() ? "nothing" : fmt::to_string(fmt::join(entries, ", ")), more,
      broken);
}

}  // namespace rhea
