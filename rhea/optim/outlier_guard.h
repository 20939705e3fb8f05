// Finds steps whose loss or gradient norm lies far above the recent ones, so that the caller can skip their update.
//
// z = (value - mean) / standard deviation of the preceding `window` values. Until a window is full nothing is an outlier.
// Outliers enter the window too: after a lasting change of level the guard gives way instead of skipping for ever.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rhea {

struct OutlierGuardOptions {
  double max_loss_z = 0;       // an update is skipped above this; 0: the loss is not judged
  double max_grad_norm_z = 0;  // the same for the gradient norm
  std::size_t window = 128;    // steps, >= 2
};

class OutlierGuard {
 public:
  explicit OutlierGuard(const OutlierGuardOptions& options);

  // Once a step. Judges both values and remembers those that are finite; one that is not finite is an outlier.
  bool is_outlier(double loss, double grad_norm);

  // Of the last call; 0 while the window fills or when it has no spread.
  double loss_z() const { return loss_.z; }
  double grad_norm_z() const { return grad_norm_.z; }

  std::vector<double> state() const;
  // Throws Error if the state is not one that state() gave under the same window.
  void load_state(std::span<const double> state);

 private:
  struct Window {
    std::vector<double> values;  // oldest first
    double z = 0;
  };
  double judge(Window& window, double value) const;

  OutlierGuardOptions options_;
  Window loss_, grad_norm_;
};

}  // namespace rhea
