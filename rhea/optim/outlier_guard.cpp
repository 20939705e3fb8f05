#include "rhea/optim/outlier_guard.h"

#include <cmath>
#include <numeric>

#include "rhea/core/error.h"

namespace rhea {

OutlierGuard::OutlierGuard(const OutlierGuardOptions& options) : options_(options) {
  if (!(options.max_loss_z >= 0) || !(options.max_grad_norm_z >= 0)) {
    fail_usage("outlier guard: expected limits of 0 (off) or more, found {} for the loss and {} for the gradient norm",
               options.max_loss_z, options.max_grad_norm_z);
  }
  if (options.window < 2) {
    fail_usage("outlier guard: expected a window of 2 steps or more, found {}", options.window);
  }
}

double OutlierGuard::judge(Window& window, double value) const {
  if (!std::isfinite(value)) {
    return std::numeric_limits<double>::infinity();
  }
  double z = 0;
  std::vector<double>& values = window.values;
  if (values.size() == options_.window) {
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double x : values) {
      squares += (x - mean) * (x - mean);
    }
    const double deviation = std::sqrt(squares / n);
    z = deviation > 0 ? (value - mean) / deviation : 0;
    values.erase(values.begin());
  }
  values.push_back(value);
  return z;
}

bool OutlierGuard::is_outlier(double loss, double grad_norm) {
  loss_.z = judge(loss_, loss);
  grad_norm_.z = judge(grad_norm_, grad_norm);
  return (options_.max_loss_z > 0 && loss_.z > options_.max_loss_z) ||
         (options_.max_grad_norm_z > 0 && grad_norm_.z > options_.max_grad_norm_z);
}

std::vector<double> OutlierGuard::state() const {
  std::vector<double> state = {static_cast<double>(loss_.values.size())};
  state.insert(state.end(), loss_.values.begin(), loss_.values.end());
  state.insert(state.end(), grad_norm_.values.begin(), grad_norm_.values.end());
  return state;
}

void OutlierGuard::load_state(std::span<const double> state) {
  const auto window = static_cast<double>(options_.window);
  const bool fits = !state.empty() && state[0] >= 0 && state[0] <= window && state[0] == std::floor(state[0]) &&
                    static_cast<double>(state.size() - 1) - state[0] >= 0 &&
                    static_cast<double>(state.size() - 1) - state[0] <= window;
  if (!fits) {
    fail("outlier guard: the saved state ({} numbers) is not one of a window of {} steps", state.size(), options_.window);
  }
  const auto losses = static_cast<std::size_t>(state[0]);
  loss_.values.assign(state.begin() + 1, state.begin() + 1 + static_cast<std::ptrdiff_t>(losses));
  grad_norm_.values.assign(state.begin() + 1 + static_cast<std::ptrdiff_t>(losses), state.end());
}

}  // namespace rhea
