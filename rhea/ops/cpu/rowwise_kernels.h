// One pass over memory each: the element-wise and row-wise ops, in fp32 registers whatever the tensors hold. No libtorch
// here: each file is compiled once per instruction set and picked when it runs. T is float or BFloat16.
#pragma once

#include "rhea/ops/cpu/element.h"

#include <cstdint>

namespace rhea::ops::cpu {

// y = silu(gate) * up over n elements.
template <class T>
void swiglu(std::int64_t n, const T* gate, const T* up, T* y);
template <class T>
void swiglu_backward(std::int64_t n, const T* grad, const T* gate, const T* up, T* grad_gate, T* grad_up);

// y = x / sqrt(mean(x^2) + eps) * weight for rows of dim elements, x's rows row_stride apart, y's contiguous.
template <class T>
void rms_norm(std::int64_t rows, std::int64_t dim, const T* x, std::int64_t row_stride, const float* weight, float eps, T* y);
// grad_weight [dim] is added to.
template <class T>
void rms_norm_backward(std::int64_t rows, std::int64_t dim, const T* grad, const T* x, std::int64_t row_stride,
                       const float* weight, float eps, T* grad_x, float* grad_weight);

// One token: turns the adjacent pairs of `heads` rows of head_dim elements; y's rows are contiguous. cos, sin [head_dim / 2];
// direction -1 turns back.
template <class T>
void rotate_token(std::int64_t heads, std::int64_t head_dim, const T* x, std::int64_t head_stride, const float* cos,
                  const float* sin, float direction, T* y);

// Cross entropy of each row of logits [rows, vocab] against labels, into losses [rows]. With `gradient` the rows become
// softmax - onehot(label), as T packed at the beginning of each row's own vocab * 4 bytes.
template <class T>
void softmax_cross_entropy(std::int64_t rows, std::int64_t vocab, float* logits, const std::int64_t* labels, bool gradient,
                           float* losses);

}  // namespace rhea::ops::cpu
