#include "rhea/metrics/memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace rhea {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// "VmHWM:   123456 kB" of /proc/self/status.
double status_gib(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) {
      double kibibytes = 0.0;
      std::istringstream(line.substr(key.size())) >> kibibytes;
      return kibibytes * 1024.0 / kGiB;
    }
  }
  return 0.0;
}

double limit_in_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  double bytes = 0.0;
  return file >> bytes ? bytes : kNoLimit;  // "max" is no number
}

// The group's own limit and those of all groups around it hold.
double lowest_limit(const std::filesystem::path& root, const std::filesystem::path& group, const char* file) {
  double lowest = limit_in_file(root / file);
  std::filesystem::path at = root;
  for (const auto& part : group.relative_path()) {
    at /= part;
    lowest = std::min(lowest, limit_in_file(at / file));
  }
  return lowest;
}

}  // namespace

double resident_memory_gib() {
  return status_gib("VmRSS:");
}

double peak_memory_gib() {
  return status_gib("VmHWM:");
}

bool reset_peak_memory() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

double control_group_limit(const std::filesystem::path& root, const std::string& membership) {
  double lowest = kNoLimit;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      lowest = std::min(lowest, lowest_limit(root, group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      lowest = std::min(lowest, lowest_limit(root / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return lowest;
}

double total_memory_gib() {
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  std::ifstream file("/proc/self/cgroup");
  std::ostringstream membership;
  membership << file.rdbuf();
  return std::min(machine, control_group_limit("/sys/fs/cgroup", membership.str())) / kGiB;
}

}  // namespace rhea
