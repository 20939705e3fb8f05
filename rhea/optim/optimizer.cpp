#include "rhea/optim/optimizer.h"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <array>
#include <set>
#include <utility>

#include "rhea/core/error.h"

namespace rhea {
namespace {

void check(const std::vector<NamedTensor>& parameters) {
  if (parameters.empty()) {
    fail("optimizer: there is no parameter to train");
  }
  const at::Device device = parameters.front().tensor.device();
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : parameters) {
    if (!names.insert(name).second) {
      fail("optimizer: two parameters are named {}", name);
    }
    if (!tensor.is_leaf() || !tensor.is_contiguous() || tensor.scalar_type() != at::kFloat) {
      fail("optimizer: parameter {} must be a contiguous float32 leaf, found {}{}{}", name, c10::toString(tensor.scalar_type()),
           tensor.is_contiguous() ? "" : ", not contiguous", tensor.is_leaf() ? "" : ", not a leaf");
    }
    if (tensor.device() != device) {
      fail("optimizer: parameter {} is on {}, others on {}; all must be on one device", name, tensor.device().str(),
           device.str());
    }
  }
}

}  // namespace

Optimizer::Optimizer(const OptimizerOptions& options, std::vector<NamedTensor> parameters, std::vector<std::string> slot_names)
    : slot_names_(std::move(slot_names)) {
  check(parameters);
  step_ = at::zeros({}, parameters.front().tensor.options().requires_grad(false));
  std::array<Group, 2> groups;  // decaying, not decaying
  groups[0].weight_decay = options.weight_decay;
  for (NamedTensor& parameter : parameters) {
    const bool decays = options.decay == "all" || parameter.tensor.dim() >= 2;
    groups[decays ? 0 : 1].parameters.push_back(std::move(parameter));
  }
  for (Group& group : groups) {
    if (group.parameters.empty()) {
      continue;
    }
    group.slots.resize(slot_names_.size());
    for (auto& slot : group.slots) {
      for (const NamedTensor& parameter : group.parameters) {
        slot.push_back(at::zeros_like(parameter.tensor.detach()));
      }
    }
    groups_.push_back(std::move(group));
  }
}

void Optimizer::step(double lr) {
  const c10::AutoGradMode no_grad(false);
  step_.add_(1);
  for (const Group& group : groups_) {
    Update update{.weight_decay = group.weight_decay, .parameters = {}, .gradients = {}, .slots = {}};
    update.slots.resize(group.slots.size());
    for (std::size_t i = 0; i < group.parameters.size(); ++i) {
      const at::Tensor& parameter = group.parameters[i].tensor;
      if (!parameter.grad().defined()) {
        continue;
      }
      update.parameters.push_back(parameter);
      // The fused kernels walk memory front to back.
      update.gradients.push_back(parameter.grad().contiguous());
      for (std::size_t slot = 0; slot < group.slots.size(); ++slot) {
        update.slots[slot].push_back(group.slots[slot][i]);
      }
    }
    if (!update.parameters.empty()) {
      apply(update, step_, lr);
    }
  }
}

void Optimizer::zero_grad() {
  for (const Group& group : groups_) {
    for (const NamedTensor& parameter : group.parameters) {
      parameter.tensor.mutable_grad() = at::Tensor();
    }
  }
}

std::vector<NamedTensor> Optimizer::named_state() const {
  std::vector<NamedTensor> named = {{"step", step_}};
  for (const Group& group : groups_) {
    for (std::size_t slot = 0; slot < slot_names_.size(); ++slot) {
      for (std::size_t i = 0; i < group.parameters.size(); ++i) {
        named.push_back({group.parameters[i].name + "." + slot_names_[slot], group.slots[slot][i]});
      }
    }
  }
  return named;
}

TensorMap Optimizer::state() const {
  TensorMap map;
  for (auto& [name, tensor] : named_state()) {
    map.emplace(std::move(name), std::move(tensor));
  }
  return map;
}

void Optimizer::load_state(const TensorMap& saved) {
  check_and_copy(saved, named_state(), "the saved optimizer state");
}

}  // namespace rhea
