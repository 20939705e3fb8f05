// rhea-doctor: what libtorch can do here. `rhea doctor` starts it.
#include <rhea/distributed/world.h>
#include <rhea/ops/gemm_peak.h>
#include <rhea/train/program.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/native/DispatchStub.h>
#include <torch/headeronly/version.h>

#include <cstdio>

using namespace rhea;

namespace {

void report() {
  std::printf("libtorch\n");
  std::printf("  built with     %s\n", TORCH_VERSION);
  std::printf("  CPU kernels    %s\n", at::get_cpu_capability().c_str());
  std::printf("  threads        %d (OMP_NUM_THREADS sets it)\n", at::get_num_threads());
  const auto gpus = at::globalContext().hasCUDA() ? static_cast<int>(at::detail::getCUDAHooks().deviceCount()) : 0;
  std::printf("  GPUs           %d\n", gpus);
  const at::Device device = gpus > 0 ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
  std::printf("measured in matrix products on %s\n", device.str().c_str());
  for (const auto& [name, dtype] : {std::pair("float32", at::kFloat), std::pair("bfloat16", at::kBFloat16)}) {
    std::printf("  %-14s %.0f GFLOP/s\n", name, ops::measure_gemm_peak(device, dtype, 2048) / 1e9);
  }
}

}  // namespace

int main() {
  run_program(report);
}
