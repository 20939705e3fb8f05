// Memory of this process and of the machine, from /proc and the control group. In GiB; 0 where the system does not say.
#pragma once

#include <filesystem>
#include <string>

namespace rhea {

// Resident now.
double resident_memory_gib();

// The most that was resident since the start or the last reset.
double peak_memory_gib();

// Starts the peak anew. False where the system does not permit it (the peak then counts from the start).
bool reset_peak_memory();

// What this process may use: the machine's memory, or less when a control group (a container, a batch job) limits it.
double total_memory_gib();

// The lowest limit in bytes (infinity: none) of the control groups named in `membership` (the text of /proc/self/cgroup,
// versions 1 and 2) and of the groups around them, below `root` (/sys/fs/cgroup).
double control_group_limit(const std::filesystem::path& root, const std::string& membership);

}  // namespace rhea
