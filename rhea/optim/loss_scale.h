// Dynamic loss scaling for fp16, as torch.amp.GradScaler: small gradients survive fp16, and steps that overflow are skipped.
//
//   scaler.scale(loss).backward();
//   const at::Tensor overflow = scaler.unscale_(gradients);   // before clipping
//   if (overflow.item<float>() == 0) optimizer.step(lr);
//   scaler.update(overflow);
//
// Ranks must agree on `overflow`: they do when gradients are reduced before unscale_, else all-reduce its maximum.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace rhea {

struct LossScaleOptions {
  double initial = 65536.0;
  double growth = 2.0;                  // the scale is multiplied by this after growth_interval steps without overflow, > 1
  double backoff = 0.5;                 // and by this after a step that overflowed, (0, 1)
  std::int64_t growth_interval = 2000;  // steps, >= 1
};

// What a checkpoint keeps.
struct LossScaleState {
  double scale = 0;
  std::int64_t steps_since_change = 0;
};

class LossScaler {
 public:
  LossScaler(const LossScaleOptions& options, at::Device device);

  // loss times the scale.
  at::Tensor scale(const at::Tensor& loss) const;

  // Divides the gradients by the scale, in place. Gives 1 if any element was not finite, else 0: fp32, shape [1].
  at::Tensor unscale_(at::TensorList gradients) const;

  // Grows or backs off. Once a step, after unscale_.
  void update(const at::Tensor& overflow);

  LossScaleState state() const;  // waits for the device
  void load_state(const LossScaleState& state);

 private:
  LossScaleOptions options_;
  at::Tensor scale_;    // fp32, shape [1]
  at::Tensor tracker_;  // int32, shape [1]
};

}  // namespace rhea
