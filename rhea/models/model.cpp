#include "rhea/models/model.h"

#include "rhea/core/error.h"
#include "rhea/ops/checkpoint_activations.h"
#include "rhea/ops/cross_entropy.h"
#include "rhea/ops/linear.h"

#include <ATen/ops/empty.h>

namespace rhea {

at::Tensor Model::logits(const at::Tensor& hidden_states) const {
  return ops::linear(hidden_states, output_weight().tensor).to(at::kFloat);
}

at::Tensor Model::loss_sum(const ModelInputs& inputs, const at::Tensor& labels) {
  const at::Tensor hidden = hidden_states(inputs);
  return ops::linear_cross_entropy(hidden.reshape({-1, shape_.dim}), output_weight().tensor, labels.reshape({-1}));
}

std::int64_t Model::num_parameters() const {
  std::int64_t count = 0;
  for (const Parameter& parameter : parameters_) {
    count += parameter.numel();
  }
  return count;
}

std::int64_t Model::flops_per_token(std::int64_t seq_len) const {
  return 6 * (num_parameters() - embedding_parameters()) + 12 * shape_.layers * shape_.dim * seq_len;
}

std::int64_t Model::causal_flops_per_token(std::int64_t seq_len) const {
  return 6 * (num_parameters() - embedding_parameters()) + 6 * shape_.layers * shape_.dim * seq_len;
}

void Model::materialize(at::Device device, std::uint64_t seed) {
  for (Parameter& parameter : parameters_) {
    parameter.tensor = at::empty(parameter.shape, at::TensorOptions(at::kFloat).device(device));
    initialize(parameter, seed);
    parameter.tensor.set_requires_grad(true);
  }
}

Parameter& Model::add_parameter(std::string name, std::vector<std::int64_t> shape, Initializer initializer) {
  at::Tensor tensor = at::empty(shape, at::TensorOptions(at::kFloat).device(at::kMeta));
  return parameters_.emplace_back(Parameter{std::move(name), std::move(shape), initializer, std::move(tensor)});
}

at::Device Model::device() const {
  return parameters_.front().tensor.device();
}

at::Tensor Model::run_layer(std::int64_t layer, const std::function<at::Tensor(const at::Tensor&)>& forward,
                            const at::Tensor& x) const {
  const bool recompute = recompute_every_ > 0 && layer % recompute_every_ == 0;
  return recompute ? ops::checkpoint(forward, x) : forward(x);
}

void Model::check_length(std::int64_t length) const {
  if (length > shape_.max_seq_len) {
    fail("a row of {} tokens is longer than the model's {} positions (training.seq_len)", length, shape_.max_seq_len);
  }
}

}  // namespace rhea
