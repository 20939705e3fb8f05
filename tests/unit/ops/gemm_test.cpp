// Matrix products in every layout and odd sizes against the same products in float64.
#include "rhea/ops/gemm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <tuple>

namespace rhea::ops {
namespace {

struct Case {
  std::int64_t m, k, n;
};

constexpr Case kCases[] = {{1, 2, 1}, {3, 5, 7}, {16, 16, 16}, {130, 66, 17}, {257, 1026, 129}, {31, 2050, 1030}, {64, 33, 64}};

at::Tensor random(std::int64_t rows, std::int64_t columns, bool transposed, at::ScalarType dtype) {
  const at::Tensor x = transposed ? at::randn({columns, rows}).t() : at::randn({rows, columns});
  return x.to(dtype);
}

// The largest error in units of what rounding k products of the factors' sizes in fp32 may give.
double error_in_roundings(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, const at::Tensor& exact) {
  const at::Tensor bound = at::mm(a.abs().to(at::kDouble), b.abs().to(at::kDouble));
  return ((result.to(at::kDouble) - exact).abs() / bound).max().item<double>();
}

class Gemm : public testing::TestWithParam<at::ScalarType> {};

TEST_P(Gemm, IsExactInAllLayouts) {
  constexpr double kFloatSums = 1e-6;  // fp32 sums of any order: some roundings of 2^-24 of the sum of absolute values
  constexpr double kBFloat16 = 4e-3;   // and one rounding to 8 bits, 2^-9
  for (const Case& size : kCases) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        const at::Tensor a = random(size.m, size.k, a_transposed, GetParam()),
                         b = random(size.k, size.n, b_transposed, GetParam());
        const at::Tensor exact = at::mm(a.to(at::kDouble), b.to(at::kDouble));
        SCOPED_TRACE(testing::Message() << size.m << "x" << size.k << "x" << size.n << " " << a_transposed << b_transposed);
        EXPECT_LT(error_in_roundings(multiply(a, b, at::kFloat), a, b, exact), kFloatSums);
        EXPECT_LT(error_in_roundings(multiply(a, b, at::kBFloat16), a, b, exact), kBFloat16);
        EXPECT_LT(error_in_roundings(multiply(a, PreparedFactor(b, GetParam()), at::kFloat), a, b, exact), kFloatSums);
        const at::Tensor sums = at::zeros({size.m, size.n});
        multiply_add(sums, a, b);
        multiply_add(sums, a, b);
        EXPECT_LT(error_in_roundings(sums, a, b, 2 * exact), 2 * kFloatSums);
      }
    }
  }
}

TEST_P(Gemm, TakesViewsWithinLargerMatrices) {
  const at::Tensor a = at::randn({40, 90}).to(GetParam()).narrow(1, 6, 64).narrow(0, 3, 33);
  const at::Tensor b = at::randn({70, 90}).to(GetParam()).narrow(1, 1, 64).narrow(0, 5, 21).t();  // pairs not aligned
  const at::Tensor exact = at::mm(a.to(at::kDouble), b.to(at::kDouble));
  EXPECT_LT(error_in_roundings(multiply(a, b, at::kFloat), a, b, exact), 1e-6);
}

// The masters of bf16 weights are fp32: rounding them on the way is the same as before.
TEST_P(Gemm, RoundsASecondFactorOfAnotherType) {
  for (const bool transposed : {false, true}) {
    for (const std::int64_t k : {70, 71}) {
      const at::Tensor a = at::randn({37, k}).to(GetParam()), b = random(k, 133, transposed, at::kFloat);
      const at::Tensor expected = multiply(a, b.to(GetParam()), at::kFloat), sums = at::zeros({37, 133});
      EXPECT_TRUE(multiply(a, b, at::kFloat).equal(expected));
      EXPECT_TRUE(multiply(a, PreparedFactor(b, GetParam()), at::kFloat).equal(expected));
      multiply_add(sums, a, b);
      EXPECT_TRUE(sums.equal(expected));
    }
  }
}

TEST_P(Gemm, OfNothingIsZero) {
  const at::Tensor a = at::randn({4, 0}).to(GetParam()), b = at::randn({0, 6}).to(GetParam());
  EXPECT_EQ(multiply(a, b, at::kFloat).abs().sum().item<float>(), 0);
  EXPECT_EQ(multiply(at::zeros({0, 4}).to(GetParam()), at::zeros({4, 6}).to(GetParam()), at::kFloat).numel(), 0);
}

INSTANTIATE_TEST_SUITE_P(Types, Gemm, testing::Values(at::kFloat, at::kBFloat16, at::kHalf),
                         [](const auto& type) { return std::string(c10::toString(type.param)); });

}  // namespace
}  // namespace rhea::ops
