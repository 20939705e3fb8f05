#include "rhea/train/mixed_precision.h"

#include "rhea/core/error.h"
#include "rhea/models/model.h"

namespace rhea {
namespace {

at::ScalarType dtype_of(std::string_view name) {
  if (name == "float32") {
    return at::kFloat;
  }
  if (name == "bfloat16") {
    return at::kBFloat16;
  }
  if (name == "float16") {
    return at::kHalf;
  }
  fail_usage("training.mixed_precision_param: \"{}\" is none of float32, bfloat16, float16", name);
}

}  // namespace

MixedPrecision::MixedPrecision(std::string_view name, Model& model, at::Device device) {
  model.set_compute_dtype(dtype_of(name));
  if (model.compute_dtype() == at::kHalf) {
    scaler_.emplace(LossScaleOptions{}, device);
  }
}

at::Tensor MixedPrecision::scale(const at::Tensor& loss) const {
  return scaler_ ? scaler_->scale(loss) : loss;
}

void MixedPrecision::unscale(const std::vector<at::Tensor>& gradients) {
  if (scaler_ && !gradients.empty()) {
    overflow_ = scaler_->unscale_(gradients);
  }
}

bool MixedPrecision::found_overflow() const {
  return overflow_.defined() && overflow_.item<float>() != 0.0F;
}

void MixedPrecision::update() {
  if (scaler_ && overflow_.defined()) {
    scaler_->update(overflow_);
    overflow_.reset();
  }
}

std::optional<LossScaleState> MixedPrecision::state() const {
  return scaler_ ? std::optional(scaler_->state()) : std::nullopt;
}

void MixedPrecision::load_state(const LossScaleState& state) {
  if (scaler_) {
    scaler_->load_state(state);
  }
}

}  // namespace rhea
