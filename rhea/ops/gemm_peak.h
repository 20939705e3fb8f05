// What matrix products reach on this machine: the yardstick of MFU where no data sheet applies.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace rhea::ops {

// FLOP/s of the best of a few at::mm of n x n matrices with the present number of threads. bf16 on a CPU without bf16
// arithmetic is measured in fp32, which is how our ops compute it there. Takes about 10 (n/1024)^3 products.
double measure_gemm_peak(at::Device device, at::ScalarType dtype, std::int64_t n = 1024);

}  // namespace rhea::ops
