// Mixed precision as one value that the steps share: the precision of activations, and the scale that keeps fp16
// gradients from vanishing. Weights are fp32 always.
#pragma once

#include "rhea/optim/loss_scale.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string_view>
#include <vector>

namespace rhea {

class Model;

class MixedPrecision {
 public:
  // "float32", "bfloat16" or "float16" (UsageError else); only float16 scales the loss. Sets the model's compute dtype.
  // The model may still be on the meta device; `device` is where it will compute.
  // Without a loss scale all functions below are no-ops.
  MixedPrecision(std::string_view name, Model& model, at::Device device);

  // loss times the scale
  at::Tensor scale(const at::Tensor& loss) const;
  // Divides the gradients by the scale and remembers whether one was not finite. Ranks agree on that when the gradients
  // were summed over them before.
  void unscale(const std::vector<at::Tensor>& gradients);
  // Whether the last unscale() met a gradient that was not finite: this step must not update.
  bool found_overflow() const;
  // Once a step after unscale(): grows the scale, or shrinks it after an overflow.
  void update();

  // What a checkpoint keeps; empty without a loss scale.
  std::optional<LossScaleState> state() const;
  void load_state(const LossScaleState& state);

 private:
  std::optional<LossScaler> scaler_;
  at::Tensor overflow_;
};

}  // namespace rhea
