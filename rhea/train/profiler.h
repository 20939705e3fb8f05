// Traces of chosen steps from libtorch's profiler, in the format that chrome://tracing and Perfetto open.
#pragma once

#include <cstdint>
#include <filesystem>

namespace rhea {

struct ProfilerOptions {
  bool enabled = false;
  std::filesystem::path folder;  // traces go to folder/iteration_N/rankR_trace.json
  std::int64_t every = 10;       // the last step of each traced stretch is a multiple of this
  std::int64_t warmup = 3;       // steps recorded and thrown away before each stretch, so that buffers are warm
  std::int64_t active = 1;       // steps in each trace
};

class Profiler {
 public:
  // Throws UsageError when warmup + active steps do not fit into `every`.
  Profiler(ProfilerOptions options, int rank);
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  // Before and after step number `step` (the first is 1).
  void begin_step(std::int64_t step);
  void end_step(std::int64_t step);

 private:
  void start();
  ProfilerOptions options_;
  int rank_;
  bool running_ = false;
};

}  // namespace rhea
