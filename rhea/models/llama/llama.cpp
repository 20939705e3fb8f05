#include "rhea/models/llama/llama.h"

#include "rhea/core/error.h"
#include "rhea/ops/attention.h"
#include "rhea/ops/embedding.h"
#include "rhea/ops/linear.h"
#include "rhea/ops/rms_norm.h"
#include "rhea/ops/rotary_embedding.h"
#include "rhea/ops/swiglu.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <cmath>

namespace rhea {
namespace {

// torchtitan cuts these at the absolute +-2, a hundred standard deviations: a plain normal in all but name.
constexpr double kLinearStd = 0.02;

ModelShape shape_of(const LlamaArgs& args) {
  return {.dim = args.dim,
          .layers = args.layers,
          .heads = args.heads,
          .kv_heads = args.kv_heads,
          .hidden_dim = args.ffn_hidden_dim(),
          .vocab_size = args.vocab_size,
          .max_seq_len = args.max_seq_len,
          .tied = args.tied};
}

void check(const LlamaArgs& args) {
  if (args.dim % args.heads != 0 || args.head_dim() % 2 != 0) {
    fail_usage("llama: dim {} does not divide into {} heads of an even size", args.dim, args.heads);
  }
  if (args.heads % args.kv_heads != 0) {
    fail_usage("llama: {} heads do not divide among {} key-value heads", args.heads, args.kv_heads);
  }
}

}  // namespace

struct Llama::AttentionInputs {
  at::Tensor document_starts;
  KeyValueCache* cache = nullptr;
  std::size_t layer = 0;
};

Llama::Llama(const LlamaArgs& args) : Model(shape_of(args)), args_(args) {
  check(args);
  // The head's std is dim^-1/2, cut at three of them; a tied table is first of all a head, N(0, 1) would give logits
  // of std sqrt(dim).
  const auto head_init = Initializer::truncated_normal(1.0 / std::sqrt(static_cast<double>(args.dim)), 3.0);
  tok_embeddings_ =
      &add_parameter("tok_embeddings.weight", {args.vocab_size, args.dim}, args.tied ? head_init : Initializer::normal(1.0));
  for (std::int64_t i = 0; i < args.layers; ++i) {
    layers_.push_back(build_layer(i));
  }
  norm_ = &add_parameter("norm.weight", {args.dim}, Initializer::ones());
  output_ = args.tied ? tok_embeddings_ : &add_parameter("output.weight", {args.vocab_size, args.dim}, head_init);
}

Llama::Layer Llama::build_layer(std::int64_t index) {
  const std::int64_t dim = args_.dim, head_dim = args_.head_dim(), hidden = args_.ffn_hidden_dim();
  const auto depth = static_cast<double>(args_.depth_init ? index + 1 : args_.layers);
  const auto inner = Initializer::normal(kLinearStd);
  const auto residual = Initializer::normal(kLinearStd / std::sqrt(2.0 * depth));
  const auto add = [&](const char* name, std::vector<std::int64_t> shape, Initializer init) {
    return &add_parameter(fmt::format("layers.{}.{}.weight", index, name), std::move(shape), init);
  };
  Layer layer{};
  layer.attention_norm = add("attention_norm", {dim}, Initializer::ones());
  layer.wq = add("attention.wq", {args_.heads * head_dim, dim}, inner);
  layer.wk = add("attention.wk", {args_.kv_heads * head_dim, dim}, inner);
  layer.wv = add("attention.wv", {args_.kv_heads * head_dim, dim}, inner);
  layer.wo = add("attention.wo", {dim, args_.heads * head_dim}, residual);
  if (args_.qk_norm) {
    layer.q_norm = add("attention.q_norm", {head_dim}, Initializer::ones());
    layer.k_norm = add("attention.k_norm", {head_dim}, Initializer::ones());
  }
  layer.ffn_norm = add("ffn_norm", {dim}, Initializer::ones());
  layer.w1 = add("feed_forward.w1", {hidden, dim}, inner);
  layer.w2 = add("feed_forward.w2", {dim, hidden}, residual);
  layer.w3 = add("feed_forward.w3", {hidden, dim}, residual);
  return layer;
}

void Llama::prepare_rope() {
  if (rope_cos_.defined() && rope_cos_.device() == device()) {
    return;
  }
  const auto [cos, sin] = ops::rope_tables(args_.head_dim(), args_.max_seq_len, args_.rope_theta, args_.rope_scaling);
  rope_cos_ = cos.to(device());
  rope_sin_ = sin.to(device());
}

at::Tensor Llama::hidden_states(const ModelInputs& inputs) {
  check_length(inputs.tokens.size(1));
  prepare_rope();
  at::Tensor x = ops::embedding(inputs.tokens, tok_embeddings_->tensor, compute_dtype());
  const AttentionInputs attention_inputs{.document_starts = inputs.document_starts};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    // By value: backward may run the layer again, when this function's variables are gone.
    const auto forward = [this, layer = layers_[i], attention_inputs](const at::Tensor& input) {
      return layer_forward(layer, attention_inputs, input);
    };
    x = run_layer(static_cast<std::int64_t>(i), forward, x);
  }
  return ops::rms_norm(x, norm_->tensor, args_.norm_eps);
}

at::Tensor Llama::hidden_states_cached(const at::Tensor& tokens, KeyValueCache& cache) {
  const c10::NoGradGuard no_grad;
  check_length(cache.length + tokens.size(1));
  prepare_rope();
  cache.keys.resize(layers_.size());
  cache.values.resize(layers_.size());
  at::Tensor x = ops::embedding(tokens, tok_embeddings_->tensor, compute_dtype());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = layer_forward(layers_[i], {.document_starts = {}, .cache = &cache, .layer = i}, x);
  }
  cache.length += tokens.size(1);
  return ops::rms_norm(x, norm_->tensor, args_.norm_eps);
}

at::Tensor Llama::layer_forward(const Layer& layer, const AttentionInputs& inputs, const at::Tensor& x) const {
  const at::Tensor h = x + attention(layer, inputs, ops::rms_norm(x, layer.attention_norm->tensor, args_.norm_eps));
  return h + feed_forward(layer, ops::rms_norm(h, layer.ffn_norm->tensor, args_.norm_eps));
}

at::Tensor Llama::attention(const Layer& layer, const AttentionInputs& inputs, const at::Tensor& x) const {
  const std::int64_t batch = x.size(0), seq = x.size(1), head_dim = args_.head_dim();
  at::Tensor query = ops::linear(x, layer.wq->tensor).view({batch, seq, args_.heads, head_dim});
  at::Tensor key = ops::linear(x, layer.wk->tensor).view({batch, seq, args_.kv_heads, head_dim});
  at::Tensor value = ops::linear(x, layer.wv->tensor).view({batch, seq, args_.kv_heads, head_dim});
  if (args_.qk_norm) {
    query = ops::rms_norm(query, layer.q_norm->tensor, args_.norm_eps);
    key = ops::rms_norm(key, layer.k_norm->tensor, args_.norm_eps);
  }
  const std::int64_t first = inputs.cache != nullptr ? inputs.cache->length : 0;
  query = ops::rotary_embedding(query, rope_cos_, rope_sin_, inputs.document_starts, first);
  key = ops::rotary_embedding(key, rope_cos_, rope_sin_, inputs.document_starts, first);
  at::Tensor mixed;
  if (inputs.cache != nullptr) {
    at::Tensor& keys = inputs.cache->keys[inputs.layer];
    at::Tensor& values = inputs.cache->values[inputs.layer];
    keys = first > 0 ? at::cat({keys, key}, 1) : key;
    values = first > 0 ? at::cat({values, value}, 1) : value;
    mixed = ops::cached_attention(query, keys, values);
  } else {
    mixed = ops::causal_attention(query, key, value, inputs.document_starts);
  }
  return ops::linear(mixed.reshape({batch, seq, args_.heads * head_dim}), layer.wo->tensor);
}

at::Tensor Llama::feed_forward(const Layer& layer, const at::Tensor& x) const {
  return ops::linear(ops::swiglu(ops::linear(x, layer.w1->tensor), ops::linear(x, layer.w3->tensor)), layer.w2->tensor);
}

}  // namespace rhea
