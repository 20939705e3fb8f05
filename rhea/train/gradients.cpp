#include "rhea/train/gradients.h"

#include "rhea/distributed/process_group.h"
#include "rhea/models/model.h"
#include "rhea/optim/clip.h"
#include "rhea/train/mixed_precision.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace rhea {
namespace {

std::int64_t count_valid_labels(std::span<const Microbatch> microbatches) {
  std::int64_t count = 0;
  for (const Microbatch& microbatch : microbatches) {
    count += microbatch.valid_labels;
  }
  return count;
}

// Ranks must agree on what they send: a rank whose microbatches were all without targets sends zeros.
void sum_over_ranks(Model& model, ProcessGroup& group) {
  if (group.size() == 1) {
    return;
  }
  for (Parameter& parameter : model.parameters()) {
    if (!parameter.tensor.grad().defined()) {
      parameter.tensor.mutable_grad() = at::zeros_like(parameter.tensor);
    }
  }
  std::vector<at::Tensor> gradients = gradients_of(named_parameters(model));
  all_reduce_sum(group, gradients);
}

}  // namespace

StepLosses compute_gradients(Model& model, std::span<const Microbatch> microbatches, ProcessGroup& batch_group,
                             MixedPrecision& precision) {
  for (Parameter& parameter : model.parameters()) {
    parameter.tensor.mutable_grad().reset();
  }
  StepLosses losses;
  losses.valid_labels = count_valid_labels(microbatches);
  losses.global_valid_labels = all_reduce(batch_group, losses.valid_labels, ReduceOp::kSum);
  losses.loss_sum = at::zeros({}, model.output_weight().tensor.options().requires_grad(false));
  for (const Microbatch& microbatch : microbatches) {
    losses.tokens += microbatch.num_tokens();
    if (microbatch.valid_labels == 0) {
      continue;  // contributes zero
    }
    const at::Tensor loss_sum = model.loss_sum(microbatch.inputs, microbatch.labels);
    losses.loss_sum += loss_sum.detach();
    precision.scale(loss_sum / static_cast<double>(losses.global_valid_labels)).backward();
  }
  if (losses.global_valid_labels > 0) {
    sum_over_ranks(model, batch_group);
  }
  precision.unscale(gradients_of(named_parameters(model)));
  return losses;
}

std::vector<NamedTensor> named_parameters(const Model& model) {
  std::vector<NamedTensor> named;
  for (const Parameter& parameter : model.parameters()) {
    named.push_back({parameter.name, parameter.tensor});
  }
  return named;
}

at::Tensor clip_gradients(Model& model, double max_norm, double norm_type) {
  return clip_(gradients_of(named_parameters(model)), max_norm, norm_type);
}

}  // namespace rhea
