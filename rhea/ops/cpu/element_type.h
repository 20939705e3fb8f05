// From a tensor's dtype to the element type of our CPU kernels.
#pragma once

#include "rhea/ops/cpu/element.h"

#include <ATen/core/Tensor.h>

namespace rhea::ops::cpu {

// True if our kernels take this tensor: fp32 or bf16 on the CPU.
inline bool has_kernels_for(const at::Tensor& x) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
}

// f(float()) or f(BFloat16()): f is generic in the type of its argument.
template <class F>
void with_element_type(at::ScalarType dtype, const F& f) {
  TORCH_INTERNAL_ASSERT(dtype == at::kFloat || dtype == at::kBFloat16);
  dtype == at::kFloat ? f(float()) : f(BFloat16());
}

template <class T>
const T* elements(const at::Tensor& x) {
  return static_cast<const T*>(x.const_data_ptr());
}

template <class T>
T* mutable_elements(const at::Tensor& x) {
  return static_cast<T*>(x.mutable_data_ptr());
}

}  // namespace rhea::ops::cpu
