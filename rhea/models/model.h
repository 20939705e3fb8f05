// What every language model gives: hidden states, the head that turns them into logits, its parameters by name, and
// its cost in FLOPs.
//
// A model knows nothing of ranks, optimizers or losses. It is built on the meta device (shapes only, no memory), then
// materialized on a device. Weights are fp32; compute_dtype says in which precision activations and matrix products
// are, which is all there is to mixed precision here.
#pragma once

#include "rhea/models/parameter.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct ModelInputs {
  at::Tensor tokens;           // [batch, seq] int64
  at::Tensor document_starts;  // [batch, seq] int32: where in the row each token's document begins; undefined: one document a row
};

// Keys and values of the tokens so far, one pair a layer, for generation.
struct KeyValueCache {
  std::vector<at::Tensor> keys, values;  // each [batch, length, kv_heads, head_dim]
  std::int64_t length = 0;
};

// What a trainer and a planner need to know of a model's shape.
struct ModelShape {
  std::int64_t dim = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t hidden_dim = 0;  // of the feed-forward part
  std::int64_t vocab_size = 0;
  std::int64_t max_seq_len = 0;
  bool tied = false;  // the head is the embedding table
};

class Model {
 public:
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Hidden states after the final norm, [batch, seq, dim] in compute_dtype. Throws Error when a row is longer than
  // max_seq_len or a token id is outside the vocabulary.
  virtual at::Tensor hidden_states(const ModelInputs& inputs) = 0;

  // The same for the next tokens [batch, new] after those in the cache, which grows by them. No gradients.
  virtual at::Tensor hidden_states_cached(const at::Tensor& tokens, KeyValueCache& cache) = 0;

  // The head [vocab, dim]; the embedding table where tied.
  virtual const Parameter& output_weight() const = 0;

  // [..., dim] -> [..., vocab] in fp32.
  at::Tensor logits(const at::Tensor& hidden_states) const;

  // Sum of cross entropy over labels [batch, seq] that are not -100, as an fp32 scalar. Logits never exist whole.
  at::Tensor loss_sum(const ModelInputs& inputs, const at::Tensor& labels);

  const ModelShape& shape() const { return shape_; }
  std::deque<Parameter>& parameters() { return parameters_; }
  const std::deque<Parameter>& parameters() const { return parameters_; }
  std::int64_t num_parameters() const;

  // 6 (parameters - embedding table) + 12 layers dim seq: torchtitan's formula, attention counted in full.
  std::int64_t flops_per_token(std::int64_t seq_len) const;
  // The same with attention counted causally, 6 layers dim seq: the work that is really needed. MFU uses this one.
  std::int64_t causal_flops_per_token(std::int64_t seq_len) const;

  // Gives every parameter memory on the device and its first values.
  void materialize(at::Device device, std::uint64_t seed);

  at::ScalarType compute_dtype() const { return compute_dtype_; }
  void set_compute_dtype(at::ScalarType dtype) { compute_dtype_ = dtype; }

  // Activation checkpointing: every n-th layer keeps only its input and is computed again in backward. 0: none.
  void set_recompute_every(std::int64_t n) { recompute_every_ = n; }

 protected:
  explicit Model(ModelShape shape) : shape_(shape) {}
  // A new parameter on the meta device. The reference stays valid as long as the model.
  Parameter& add_parameter(std::string name, std::vector<std::int64_t> shape, Initializer initializer);
  at::Device device() const;
  // Runs one layer, with activation checkpointing where it is asked for.
  at::Tensor run_layer(std::int64_t layer, const std::function<at::Tensor(const at::Tensor&)>& forward,
                       const at::Tensor& x) const;
  void check_length(std::int64_t length) const;

  virtual std::int64_t embedding_parameters() const = 0;  // those that cost a look-up, no product

 private:
  ModelShape shape_;
  std::deque<Parameter> parameters_;
  at::ScalarType compute_dtype_ = at::kFloat;
  std::int64_t recompute_every_ = 0;
};

}  // namespace rhea
