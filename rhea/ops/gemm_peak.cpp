#include "rhea/ops/gemm_peak.h"

#include "rhea/ops/gemm.h"

#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace rhea::ops {

double measure_gemm_peak(at::Device device, at::ScalarType dtype, std::int64_t n) {
  const c10::NoGradGuard no_grad;
  constexpr int kTries = 6;
  const at::Tensor a = at::full({n, n}, 0.5, at::TensorOptions(dtype).device(device));
  const at::Tensor b = at::full({n, n}, 0.25, at::TensorOptions(dtype).device(device));
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    // Reading one element waits for the device.
    multiply(a, b, dtype).select(0, 0).select(0, 0).item<double>();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / best;
}

}  // namespace rhea::ops
