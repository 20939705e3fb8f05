#include "rhea/optim/loss_scale.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "rhea/core/error.h"

namespace rhea {

LossScaler::LossScaler(const LossScaleOptions& options, at::Device device) : options_(options) {
  if (!(options.initial > 0 && std::isfinite(options.initial))) {
    fail_usage("loss_scale.initial: expected a number above 0, found {}", options.initial);
  }
  if (!(options.growth > 1 && std::isfinite(options.growth))) {
    fail_usage("loss_scale.growth: expected a number above 1, found {}", options.growth);
  }
  if (!(options.backoff > 0 && options.backoff < 1)) {
    fail_usage("loss_scale.backoff: expected a number in (0, 1), found {}", options.backoff);
  }
  if (options.growth_interval < 1) {
    fail_usage("loss_scale.growth_interval: expected 1 step or more, found {}", options.growth_interval);
  }
  scale_ = at::full({1}, options.initial, at::TensorOptions(device).dtype(at::kFloat));
  tracker_ = at::zeros({1}, at::TensorOptions(device).dtype(at::kInt));
}

at::Tensor LossScaler::scale(const at::Tensor& loss) const {
  return loss * scale_.reshape({});
}

at::Tensor LossScaler::unscale_(at::TensorList gradients) const {
  const c10::AutoGradMode no_grad(false);
  at::Tensor overflow = at::zeros({1}, scale_.options());
  if (!gradients.empty()) {
    // In double first: the reciprocal of a scale that is no power of two is then rounded once.
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, overflow, scale_.to(at::kDouble).reciprocal().to(at::kFloat));
  }
  return overflow;
}

void LossScaler::update(const at::Tensor& overflow) {
  at::_amp_update_scale_(scale_, tracker_, overflow, options_.growth, options_.backoff, options_.growth_interval);
}

LossScaleState LossScaler::state() const {
  return {.scale = scale_.item<float>(), .steps_since_change = tracker_.item<std::int32_t>()};
}

void LossScaler::load_state(const LossScaleState& state) {
  if (!(state.scale > 0 && std::isfinite(state.scale)) || state.steps_since_change < 0) {
    fail("loss scale: a saved state of scale {} and {} steps since its last change cannot be right", state.scale,
         state.steps_since_change);
  }
  scale_.fill_(state.scale);
  tracker_.fill_(state.steps_since_change);
}

}  // namespace rhea
