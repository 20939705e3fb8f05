// Every instruction set that this processor has and the kernels were compiled for, not only the best one.
#include "compare.h"
#include "rhea/ops/attention.h"
#include "rhea/ops/cross_entropy.h"
#include "rhea/ops/reference.h"
#include "rhea/ops/rms_norm.h"
#include "rhea/ops/rotary_embedding.h"
#include "rhea/ops/swiglu.h"

#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include <hwy/targets.h>

namespace rhea::ops {
namespace {

class InstructionSets : public testing::Test {
 protected:
  ~InstructionSets() override { choose(0); }

  // 0: whatever the processor has.
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }

  static void expect_matches_on_each(const Op& op, const Op& plain, const std::vector<at::Tensor>& inputs, double tolerance) {
    choose(0);
    int tested = 0;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      SCOPED_TRACE(hwy::TargetName(target));
      choose(target);
      expect_matches(op, plain, inputs, tolerance);
      ++tested;
    }
    EXPECT_GE(tested, 1);
  }
};

TEST_F(InstructionSets, Attention) {
  const Op op = [](const auto& in) { return causal_attention(in[0], in[1], in[2], in[3]); };
  const Op plain = [](const auto& in) { return reference::causal_attention(in[0], in[1], in[2], in[3]); };
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const at::Tensor q = random_tensor({1, 101, 4, 40}, 1, dtype), k = random_tensor({1, 101, 2, 40}, 2, dtype),
                     v = random_tensor({1, 101, 2, 40}, 3, dtype);
    const at::Tensor starts = at::arange(101, at::kInt).unsqueeze(0).div(37, "floor").mul(37).to(at::kInt);
    expect_matches_on_each(op, plain, {q, k, v, starts}, dtype == at::kFloat ? 3 * kFloatTolerance : 2 * kBFloat16Tolerance);
  }
}

TEST_F(InstructionSets, ElementWiseAndRowWise) {
  const auto [cos, sin] = rope_tables(70, 64, 10000.0);
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const double tolerance = dtype == at::kFloat ? kFloatTolerance : kBFloat16Tolerance;
    expect_matches_on_each([](const auto& in) { return swiglu(in[0], in[1]); },
                           [](const auto& in) { return reference::swiglu(in[0], in[1]); },
                           {random_tensor({1003}, 1, dtype), random_tensor({1003}, 2, dtype)}, tolerance);
    expect_matches_on_each([](const auto& in) { return rms_norm(in[0], in[1], 1e-5); },
                           [](const auto& in) { return reference::rms_norm(in[0], in[1], 1e-5); },
                           {random_tensor({301, 77}, 1, dtype), random_tensor({77}, 2)}, tolerance);
    expect_matches_on_each([&](const auto& in) { return rotary_embedding(in[0], cos, sin, {}, 0); },
                           [&](const auto& in) { return reference::rotary_embedding(in[0], cos, sin, {}, 0); },
                           {random_tensor({2, 33, 3, 70}, 1, dtype)}, tolerance);
  }
}

TEST_F(InstructionSets, CrossEntropy) {
  expect_matches_on_each([](const auto& in) { return linear_cross_entropy(in[0], in[1], in[2]); },
                         [](const auto& in) { return reference::linear_cross_entropy(in[0], in[1], in[2], -100); },
                         {random_tensor({90, 16}, 1), random_tensor({333, 16}, 2), at::arange(90, at::kLong).mul(3)},
                         kFloatTolerance);
}

}  // namespace
}  // namespace rhea::ops
