#include "rhea/optim/clip.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rhea/core/error.h"
#include "rhea/core/random.h"

namespace rhea {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<at::Tensor> random_gradients() {
  std::vector<at::Tensor> gradients;
  for (const std::int64_t rows : {3, 100, 1000}) {
    gradients.push_back(at::zeros({rows, 17}));
    fill_normal({gradients.back().data_ptr<float>(), static_cast<std::size_t>(rows * 17)}, static_cast<std::uint64_t>(rows), 0);
  }
  return gradients;
}

double norm_in_double(const std::vector<at::Tensor>& gradients, double p) {
  double sum = 0, largest = 0;
  for (const at::Tensor& gradient : gradients) {
    for (std::int64_t i = 0; i < gradient.numel(); ++i) {
      const double x = gradient.data_ptr<float>()[i];
      sum += x * x;
      largest = std::max(largest, std::abs(x));
    }
  }
  return p == 2.0 ? std::sqrt(sum) : largest;
}

// The fp32 sum of n = 18,751 squares is made in vector lanes: its relative error is far below n * 6e-8 = 1e-3, in
// practice a random walk of sqrt(n / lanes) roundings, 3e-6; the root halves it.
constexpr double kRelative = 3e-6;

TEST(Clip, ScalesToTheNorm) {
  for (const double p : {2.0, kInfinity}) {
    const auto gradients = random_gradients();
    const double expected = norm_in_double(gradients, p);
    const double first = gradients[0].data_ptr<float>()[0];
    const at::Tensor norm = clip_(gradients, 0.5, p);
    EXPECT_NEAR(norm.item<double>(), expected, kRelative * expected) << p;
    EXPECT_NEAR(norm_in_double(gradients, p), 0.5, 1e-5) << p;
    EXPECT_NEAR(gradients[0].data_ptr<float>()[0], first * 0.5 / (expected + 1e-6), 1e-6) << p;
  }
}

TEST(Clip, SmallGradientsKeepTheirBits) {
  const auto gradients = random_gradients(), before = random_gradients();
  clip_(gradients, 1e6);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_TRUE(at::equal(gradients[i], before[i]));
  }
}

TEST(Clip, ZeroMaxNormOnlyMeasures) {
  const auto gradients = random_gradients(), before = random_gradients();
  EXPECT_GT(clip_(gradients, 0).item<float>(), 100);
  EXPECT_TRUE(at::equal(gradients[2], before[2]));
}

TEST(Clip, ZeroGradientsStayZero) {
  const std::vector<at::Tensor> gradients = {at::zeros({4}), at::zeros({2, 2})};
  for (const double p : {2.0, kInfinity}) {
    EXPECT_EQ(clip_(gradients, 1.0, p).item<float>(), 0);
    EXPECT_TRUE(at::equal(gradients[0], at::zeros({4})));
  }
}

TEST(Clip, NanReachesTheNorm) {
  for (const double p : {2.0, kInfinity}) {
    std::vector<at::Tensor> gradients = random_gradients();
    gradients[1].data_ptr<float>()[5] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(clip_(gradients, 1.0, p).item<float>())) << p;
  }
}

TEST(Clip, NoGradientsHaveNormZero) {
  EXPECT_EQ(clip_({}, 1.0).item<float>(), 0);
}

TEST(Clip, GradientsOfSkipsUndefined) {
  const std::vector<NamedTensor> parameters = {{"a", at::zeros({2})}, {"b", at::zeros({3})}};
  for (const NamedTensor& parameter : parameters) {
    parameter.tensor.requires_grad_();
  }
  parameters[1].tensor.mutable_grad() = at::full({3}, 2.0);
  const auto gradients = gradients_of(parameters);
  ASSERT_EQ(gradients.size(), 1);
  clip_(gradients, 1.0, kInfinity);
  // 1 / (2 + 1e-6), rounded to fp32 a few times.
  EXPECT_NEAR(parameters[1].tensor.grad()[0].item<float>(), 2.0 / (2.0 + 1e-6), 3e-7);
}

TEST(Clip, RefusesOtherNorms) {
  try {
    total_norm({}, 1.0);
    FAIL() << "no UsageError";
  } catch (const UsageError& error) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "expected 2 or inf, found 1", error.what());
  }
}

}  // namespace
}  // namespace rhea
