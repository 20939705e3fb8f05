// y = x W^T + b, with fp32 master weights under activations of lower precision.
#pragma once

#include <ATen/core/Tensor.h>

namespace rhea::ops {

// x [..., in]; weight [out, in] and bias [out] (may be undefined), each in fp32 or x's dtype. Gives [..., out] in x's
// dtype. With fp32 weights under bf16 or fp16 activations the weights are rounded to x's dtype for the product, as
// autocast does, and their gradients come back in fp32, never rounded between.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

}  // namespace rhea::ops
