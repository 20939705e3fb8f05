// Memory of this process and of the machine, from /proc and the control group. In GiB; 0 where the system does not say.
#pragma once

namespace rhea {

// Resident now.
double resident_memory_gib();

// The most that was resident since the start or the last reset.
double peak_memory_gib();

// Starts the peak anew. False where the system does not permit it (the peak then counts from the start).
bool reset_peak_memory();

// What this process may use: the machine's memory, or less when a control group (a container, a batch job) limits it.
double total_memory_gib();

}  // namespace rhea
