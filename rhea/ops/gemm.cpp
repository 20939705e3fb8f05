#include "rhea/ops/gemm.h"

#include <ATen/cpu/Utils.h>
#include <ATen/ops/mm.h>

namespace rhea::ops {
namespace {

bool cpu_multiplies_bf16() {
  static const bool supported = [] {
    const auto capabilities = at::cpu::get_cpu_capabilities();
    const auto has = [&](const char* name) {
      const auto found = capabilities.find(name);
      return found != capabilities.end() && found->second.isBool() && found->second.toBool();
    };
    return has("avx512_bf16") || has("amx_bf16");
  }();
  return supported;
}

}  // namespace

bool multiplies_natively(const at::Tensor& factor) {
  if (!at::isReducedFloatingType(factor.scalar_type()) || !factor.device().is_cpu()) {
    return true;
  }
  return factor.scalar_type() == at::kBFloat16 && cpu_multiplies_bf16();
}

at::Tensor as_factor(const at::Tensor& tensor) {
  return multiplies_natively(tensor) ? tensor : tensor.to(at::kFloat);
}

at::Tensor multiply(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype) {
  // ATen offers a product with wider result on CUDA only.
  if (dtype == at::kFloat && a.is_cuda() && at::isReducedFloatingType(a.scalar_type())) {
    return at::mm(a, b, at::kFloat);
  }
  return at::mm(a, b).to(dtype);
}

}  // namespace rhea::ops
