#include "rhea/ops/gemm.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <limits>

// Exported by libtorch_cpu where it is built with MKL; null elsewhere. Sizes are 32-bit (MKL's LP64 interface).
extern "C" __attribute__((weak)) void cblas_gemm_bf16bf16f32(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                                                             float alpha, const void* a, int lda, const void* b, int ldb,
                                                             float beta, float* c, int ldc);

namespace rhea::ops {
namespace {

constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;

struct Factor {
  at::Tensor keep_alive;
  int transpose;
  int stride;
};

bool fits_int(std::int64_t n) {
  return n <= std::numeric_limits<int>::max();
}

// A matrix as BLAS takes it: rows or columns contiguous.
Factor as_factor(const at::Tensor& x) {
  const std::int64_t rows = x.size(0), columns = x.size(1);
  if (x.stride(1) == 1 && x.stride(0) >= columns && fits_int(x.stride(0))) {
    return {x, kNoTranspose, static_cast<int>(x.stride(0))};
  }
  if (x.stride(0) == 1 && x.stride(1) >= rows && fits_int(x.stride(1))) {
    return {x, kTranspose, static_cast<int>(x.stride(1))};
  }
  return {x.contiguous(), kNoTranspose, static_cast<int>(columns)};
}

bool goes_to_mkl(const at::Tensor& a, const at::Tensor& b) {
  return a.is_cpu() && a.scalar_type() == at::kBFloat16 && cblas_gemm_bf16bf16f32 != nullptr && fits_int(a.size(0)) &&
         fits_int(a.size(1)) && fits_int(b.size(1)) && a.numel() > 0 && b.numel() > 0;
}

void mkl_bfloat16(const at::Tensor& a, const at::Tensor& b, float beta, const at::Tensor& c) {
  const Factor fa = as_factor(a), fb = as_factor(b);
  cblas_gemm_bf16bf16f32(kRowMajor, fa.transpose, fb.transpose, static_cast<int>(a.size(0)), static_cast<int>(b.size(1)),
                         static_cast<int>(a.size(1)), 1.0F, fa.keep_alive.const_data_ptr(), fa.stride,
                         fb.keep_alive.const_data_ptr(), fb.stride, beta, c.data_ptr<float>(), static_cast<int>(c.stride(0)));
}

// A block of rows at a time, so that the fp32 sums stay in the cache until they are rounded.
at::Tensor mkl_rounded(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype) {
  constexpr std::int64_t kBlockSums = std::int64_t{1} << 20;
  const std::int64_t rows = a.size(0), columns = b.size(1);
  const std::int64_t step = std::min(rows, std::max<std::int64_t>(256, kBlockSums / columns));
  const at::Tensor sums = at::empty({step, columns}, a.options().dtype(at::kFloat));
  if (dtype == at::kFloat && step == rows) {
    mkl_bfloat16(a, b, 0.0F, sums);
    return sums;
  }
  at::Tensor result = at::empty({rows, columns}, a.options().dtype(dtype));
  for (std::int64_t row = 0; row < rows; row += step) {
    const std::int64_t count = std::min(step, rows - row);
    const at::Tensor target = dtype == at::kFloat ? result.narrow(0, row, count) : sums.narrow(0, 0, count);
    mkl_bfloat16(a.narrow(0, row, count), b, 0.0F, target);
    if (dtype != at::kFloat) {
      result.narrow(0, row, count).copy_(target);
    }
  }
  return result;
}

bool has_unit_stride(const at::Tensor& x) {
  return (x.stride(1) == 1 && x.stride(0) >= x.size(1)) || (x.stride(0) == 1 && x.stride(1) >= x.size(0));
}

// The instruction multiplies pairs along k: it must be even.
bool can_be_packed(at::ScalarType dtype, const at::Tensor& b) {
  const bool becomes_bfloat16 = dtype == at::kBFloat16 && (b.scalar_type() == at::kBFloat16 || b.scalar_type() == at::kFloat);
  return becomes_bfloat16 && b.is_cpu() && b.numel() > 0 && b.size(0) % 2 == 0 && has_unit_stride(b) && cpu::has_bfloat16_gemm();
}

at::Tensor multiply_packed(const at::Tensor& a, const cpu::PackedBFloat16& b, at::ScalarType dtype) {
  // Anything but bf16 by way of fp32, which holds the sums as they are.
  const at::ScalarType written = dtype == at::kBFloat16 ? at::kBFloat16 : at::kFloat;
  const at::Tensor result = at::empty({a.size(0), b.n}, a.options().dtype(written));
  cpu::bfloat16_gemm(has_unit_stride(a) ? a : a.contiguous(), b, /*accumulate=*/false, result);
  return result.to(dtype);
}

bool is_narrow_on_cpu(const at::Tensor& x) {
  return x.is_cpu() && at::isReducedFloatingType(x.scalar_type());
}

}  // namespace

at::ScalarType sum_dtype(at::ScalarType dtype) {
  return dtype == at::kDouble ? at::kDouble : at::kFloat;
}

PreparedFactor::PreparedFactor(const at::Tensor& b, at::ScalarType dtype) {
  if (can_be_packed(dtype, b)) {
    packed_ = cpu::pack_bfloat16(b);
  } else {
    b_ = b.to(dtype);
  }
}

at::Tensor multiply(const at::Tensor& a, const PreparedFactor& b, at::ScalarType dtype) {
  return b.packed() ? multiply_packed(a, *b.packed(), dtype) : multiply(a, b.tensor(), dtype);
}

at::Tensor multiply(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype) {
  if (can_be_packed(a.scalar_type(), b)) {
    return multiply_packed(a, cpu::pack_bfloat16(b), dtype);
  }
  if (b.scalar_type() != a.scalar_type()) {
    return multiply(a, b.to(a.scalar_type()), dtype);
  }
  if (goes_to_mkl(a, b)) {
    return mkl_rounded(a, b, dtype);
  }
  if (is_narrow_on_cpu(a)) {
    return at::mm(a.to(at::kFloat), b.to(at::kFloat)).to(dtype);
  }
  // ATen has products with a wider result on CUDA only.
  if (a.is_cuda() && dtype == at::kFloat && a.scalar_type() != at::kFloat) {
    return at::mm(a, b, at::kFloat);
  }
  return at::mm(a, b).to(dtype);
}

void multiply_add(const at::Tensor& sums, const at::Tensor& a, const at::Tensor& b) {
  if (sums.scalar_type() == at::kFloat && can_be_packed(a.scalar_type(), b)) {
    cpu::bfloat16_gemm(has_unit_stride(a) ? a : a.contiguous(), cpu::pack_bfloat16(b), /*accumulate=*/true, sums);
  } else if (b.scalar_type() != a.scalar_type()) {
    multiply_add(sums, a, b.to(a.scalar_type()));
  } else if (goes_to_mkl(a, b)) {
    mkl_bfloat16(a, b, 1.0F, sums);
  } else if (a.scalar_type() == sums.scalar_type()) {
    sums.addmm_(a, b);
  } else {
    sums.add_(multiply(a, b, sums.scalar_type()));
  }
}

}  // namespace rhea::ops
