#include "rhea/train/profiler.h"

#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/core/log.h"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <cstdlib>
#include <set>
#include <utility>

namespace rhea {
namespace {

namespace profiler = torch::autograd::profiler;

const std::set<profiler::ActivityType>& activities() {
  static const std::set<profiler::ActivityType> kinds = {profiler::ActivityType::CPU, profiler::ActivityType::CUDA};
  return kinds;
}

profiler::ProfilerConfig config() {
  return profiler::ProfilerConfig(profiler::ProfilerState::KINETO, /*report_input_shapes=*/true, /*profile_memory=*/false,
                                  /*with_stack=*/false, /*with_flops=*/true, /*with_modules=*/false);
}

}  // namespace

Profiler::Profiler(ProfilerOptions options, int rank) : options_(std::move(options)), rank_(rank) {
  if (options_.enabled && options_.warmup + options_.active > options_.every) {
    fail_usage("profiling: profiler_warmup {} and profiler_active {} do not fit into profile_freq {}", options_.warmup,
               options_.active, options_.every);
  }
  if (options_.enabled) {
    // Kineto writes a line to standard error at each start and stop; whoever wants them sets the level.
    setenv("KINETO_LOG_LEVEL", "99", /*overwrite=*/0);
  }
}

Profiler::~Profiler() {
  if (running_) {
    profiler::disableProfiler();
  }
}

void Profiler::start() {
  profiler::prepareProfiler(config(), activities());
  profiler::enableProfiler(config(), activities());
  running_ = true;
}

void Profiler::begin_step(std::int64_t step) {
  if (!options_.enabled) {
    return;
  }
  // How many steps, this one included, are left to the end of the stretch.
  const std::int64_t left = options_.every - (step - 1) % options_.every;
  if (left == options_.active && running_) {
    profiler::disableProfiler();  // the warm-up's events are thrown away
    running_ = false;
  }
  if (!running_ && left <= options_.active + options_.warmup) {
    start();
  }
}

void Profiler::end_step(std::int64_t step) {
  if (!running_ || step % options_.every != 0) {
    return;
  }
  const auto result = profiler::disableProfiler();
  running_ = false;
  const auto folder = options_.folder / fmt::format("iteration_{}", step);
  make_folder(folder);
  const auto path = folder / fmt::format("rank{}_trace.json", rank_);
  result->save(path.string());
  log_info("profiler trace of the last {} steps: {}", options_.active, path.string());
}

}  // namespace rhea
