// Root-mean-square normalisation (Zhang and Sennrich 2019): y = x / sqrt(mean(x^2) + eps) * weight.
#pragma once

#include <ATen/core/Tensor.h>

namespace rhea::ops {

// x [..., dim]; weight [dim] in fp32 or x's dtype. The result has x's shape and dtype; statistics are fp32.
// Backward keeps x and recomputes the statistics; the weight's gradient is summed in fp32.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

}  // namespace rhea::ops
