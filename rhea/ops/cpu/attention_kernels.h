// The inner loops of attention for one key-value head and the query heads that share it, in fp32 registers whatever the
// tensors hold. No libtorch here: each file is compiled once per instruction set and picked when it runs.
#pragma once

#include "rhea/ops/cpu/element.h"

#include <cstdint>

namespace rhea::ops::cpu {

// Row t of head h is the head_dim elements at data + t * row_stride + h * head_stride.
template <class T>
struct HeadRows {
  T* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t head_stride = 0;
};

template <class T>
struct AttentionForward {
  std::int64_t seq = 0, head_dim = 0, group = 1;  // group: query heads a key-value head
  HeadRows<const T> query, key, value;
  HeadRows<T> output;
  float* log_sum_exp = nullptr;                   // [group, seq], to base 2: of the scores times log2(e)
  const std::int32_t* document_starts = nullptr;  // [seq] or null
};

template <class T>
struct AttentionBackward {
  std::int64_t seq = 0, head_dim = 0, group = 1;
  HeadRows<const T> query, key, value, output, grad_output;
  HeadRows<T> grad_query, grad_key, grad_value;
  const float* log_sum_exp = nullptr;
  const std::int32_t* document_starts = nullptr;
};

// Floats that a call needs as working space, aligned to 64 bytes.
std::int64_t attention_forward_scratch(std::int64_t seq, std::int64_t head_dim);
std::int64_t attention_backward_scratch(std::int64_t seq, std::int64_t head_dim);

// T is float or BFloat16.
template <class T>
void attention_forward(const AttentionForward<T>& problem, float* scratch);
template <class T>
void attention_backward(const AttentionBackward<T>& problem, float* scratch);

}  // namespace rhea::ops::cpu
