#include "rhea/train/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace rhea {

bool should_continue_training(const Progress& progress, const Budget& budget) {
  return reason_to_stop(progress, budget).empty();
}

std::string reason_to_stop(const Progress& progress, const Budget& budget) {
  if (budget.steps > 0 && progress.step >= budget.steps) {
    return fmt::format("training.steps = {}", budget.steps);
  }
  if (budget.tokens > 0 && progress.tokens >= budget.tokens) {
    return fmt::format("training.max_tokens = {}", budget.tokens);
  }
  if (budget.seconds > 0 && progress.seconds >= budget.seconds) {
    return fmt::format("training.max_seconds = {}", budget.seconds);
  }
  if (budget.flops > 0 && progress.flops >= budget.flops) {
    return fmt::format("training.max_flops = {}", budget.flops);
  }
  if (budget.target_loss > 0 && progress.loss <= budget.target_loss) {
    return fmt::format("training.target_loss = {}", budget.target_loss);
  }
  return {};
}

double share_done(const Progress& progress, const Budget& budget) {
  double share = 0.0;
  const auto consider = [&share](double used, double limit) {
    if (limit > 0) {
      share = std::max(share, used / limit);
    }
  };
  consider(static_cast<double>(progress.step), static_cast<double>(budget.steps));
  consider(static_cast<double>(progress.tokens), static_cast<double>(budget.tokens));
  consider(progress.seconds, budget.seconds);
  consider(progress.flops, budget.flops);
  return std::min(share, 1.0);
}

}  // namespace rhea
