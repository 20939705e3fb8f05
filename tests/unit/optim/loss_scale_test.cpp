#include "rhea/optim/loss_scale.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rhea/core/error.h"

namespace rhea {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

at::Tensor run_step(LossScaler& scaler, float gradient) {
  const std::vector<at::Tensor> gradients = {at::full({3}, gradient), at::full({2, 2}, 1.0)};
  at::Tensor overflow = scaler.unscale_(gradients);
  scaler.update(overflow);
  return overflow;
}

TEST(LossScaler, ScalesAndUnscales) {
  const LossScaler scaler({.initial = 1024}, at::kCPU);
  EXPECT_EQ(scaler.scale(at::full({}, 3.0)).item<float>(), 3072);
  EXPECT_EQ(scaler.scale(at::full({}, 3.0)).dim(), 0);
  const std::vector<at::Tensor> gradients = {at::full({3}, 2048.0)};
  EXPECT_EQ(scaler.unscale_(gradients).item<float>(), 0);
  EXPECT_EQ(gradients[0][2].item<float>(), 2);
  EXPECT_EQ(scaler.unscale_({}).item<float>(), 0);
}

TEST(LossScaler, GrowsAfterTheIntervalAndBacksOffAtOnce) {
  LossScaler scaler({.initial = 16, .growth_interval = 3}, at::kCPU);
  const std::vector<float> gradients = {1, 1, 1, 1, kInfinity, 1, 1, std::numeric_limits<float>::quiet_NaN(), 1, 1, 1};
  const std::vector<double> scales = {16, 16, 32, 32, 16, 16, 16, 8, 8, 8, 16};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const bool finite = std::isfinite(gradients[i]);
    EXPECT_EQ(run_step(scaler, gradients[i]).item<float>(), finite ? 0 : 1) << i;
    EXPECT_EQ(scaler.state().scale, scales[i]) << i;
  }
}

TEST(LossScaler, StateRoundTrip) {
  LossScaler scaler({.initial = 16, .growth_interval = 3}, at::kCPU);
  run_step(scaler, kInfinity);
  run_step(scaler, 1);
  run_step(scaler, 1);
  LossScaler resumed({.initial = 16, .growth_interval = 3}, at::kCPU);
  resumed.load_state(scaler.state());
  EXPECT_EQ(resumed.state().scale, 8);
  EXPECT_EQ(resumed.state().steps_since_change, 2);
  run_step(resumed, 1);
  EXPECT_EQ(resumed.state().scale, 16);
}

TEST(LossScaler, RefusesNonsense) {
  EXPECT_THROW(LossScaler({.initial = 0}, at::kCPU), UsageError);
  EXPECT_THROW(LossScaler({.growth = 1}, at::kCPU), UsageError);
  EXPECT_THROW(LossScaler({.backoff = 1}, at::kCPU), UsageError);
  EXPECT_THROW(LossScaler({.growth_interval = 0}, at::kCPU), UsageError);
  LossScaler scaler({}, at::kCPU);
  EXPECT_THROW(scaler.load_state({.scale = -1}), Error);
  EXPECT_THROW(scaler.load_state({.scale = 1, .steps_since_change = -1}), Error);
}

}  // namespace
}  // namespace rhea
