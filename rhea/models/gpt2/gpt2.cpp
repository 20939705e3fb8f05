#include "rhea/models/gpt2/gpt2.h"

#include "rhea/core/error.h"
#include "rhea/ops/attention.h"
#include "rhea/ops/embedding.h"
#include "rhea/ops/linear.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <cmath>

namespace rhea {
namespace {

constexpr double kStd = 0.02;

ModelShape shape_of(const Gpt2Args& args) {
  return {.dim = args.dim,
          .layers = args.layers,
          .heads = args.heads,
          .kv_heads = args.heads,
          .hidden_dim = 4 * args.dim,
          .vocab_size = args.vocab_size,
          .max_seq_len = args.max_seq_len,
          .tied = true};
}

}  // namespace

Gpt2::Gpt2(const Gpt2Args& args) : Model(shape_of(args)), args_(args) {
  if (args.dim % args.heads != 0) {
    fail_usage("gpt2: dim {} does not divide into {} heads", args.dim, args.heads);
  }
  const std::int64_t dim = args.dim;
  // Residual projections shrink with the number of residual additions, 2 a layer (Radford et al. 2019, 2.3).
  const double residual_std = kStd / std::sqrt(2.0 * static_cast<double>(args.layers));
  wte_ = &add_parameter("wte.weight", {args.vocab_size, dim}, Initializer::normal(kStd));
  wpe_ = &add_parameter("wpe.weight", {args.max_seq_len, dim}, Initializer::normal(kStd));
  for (std::int64_t i = 0; i < args.layers; ++i) {
    const std::string prefix = fmt::format("h.{}.", i);
    Layer layer{};
    layer.ln_1 = add_norm(prefix + "ln_1");
    layer.c_attn = add_linear(prefix + "attn.c_attn", 3 * dim, dim, kStd);
    layer.attn_c_proj = add_linear(prefix + "attn.c_proj", dim, dim, residual_std);
    layer.ln_2 = add_norm(prefix + "ln_2");
    layer.c_fc = add_linear(prefix + "mlp.c_fc", 4 * dim, dim, kStd);
    layer.mlp_c_proj = add_linear(prefix + "mlp.c_proj", dim, 4 * dim, residual_std);
    layers_.push_back(layer);
  }
  ln_f_ = add_norm("ln_f");
}

Gpt2::Linear Gpt2::add_linear(const std::string& name, std::int64_t out, std::int64_t in, double std) {
  Parameter& weight = add_parameter(name + ".weight", {out, in}, Initializer::normal(std));
  return {&weight, &add_parameter(name + ".bias", {out}, Initializer::zeros())};
}

Gpt2::Linear Gpt2::add_norm(const std::string& name) {
  Parameter& weight = add_parameter(name + ".weight", {args_.dim}, Initializer::ones());
  return {&weight, &add_parameter(name + ".bias", {args_.dim}, Initializer::zeros())};
}

at::Tensor Gpt2::hidden_states(const ModelInputs& inputs) {
  const std::int64_t seq = inputs.tokens.size(1);
  check_length(seq);
  at::Tensor positions = at::arange(seq, at::TensorOptions(at::kLong).device(device())).expand_as(inputs.tokens);
  if (inputs.document_starts.defined()) {
    positions = positions - inputs.document_starts;
  }
  at::Tensor x = embed(inputs.tokens, positions);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto forward = [this, i, starts = inputs.document_starts](const at::Tensor& input) {
      return layer_forward(layers_[i], input, starts, nullptr, i);
    };
    x = run_layer(static_cast<std::int64_t>(i), forward, x);
  }
  return norm(ln_f_, x);
}

at::Tensor Gpt2::hidden_states_cached(const at::Tensor& tokens, KeyValueCache& cache) {
  const c10::NoGradGuard no_grad;
  const std::int64_t end = cache.length + tokens.size(1);
  check_length(end);
  cache.keys.resize(layers_.size());
  cache.values.resize(layers_.size());
  const at::Tensor positions = at::arange(cache.length, end, at::TensorOptions(at::kLong).device(device())).expand_as(tokens);
  at::Tensor x = embed(tokens, positions);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = layer_forward(layers_[i], x, {}, &cache, i);
  }
  cache.length = end;
  return norm(ln_f_, x);
}

at::Tensor Gpt2::embed(const at::Tensor& tokens, const at::Tensor& positions) const {
  return ops::embedding(tokens, wte_->tensor, compute_dtype()) + ops::embedding(positions, wpe_->tensor, compute_dtype());
}

at::Tensor Gpt2::norm(const Linear& norm, const at::Tensor& x) const {
  return at::layer_norm(x, {args_.dim}, norm.weight->tensor.to(x.scalar_type()), norm.bias->tensor.to(x.scalar_type()),
                        args_.norm_eps);
}

at::Tensor Gpt2::layer_forward(const Layer& layer, const at::Tensor& x, const at::Tensor& document_starts, KeyValueCache* cache,
                               std::size_t index) const {
  const std::int64_t batch = x.size(0), seq = x.size(1), head_dim = args_.dim / args_.heads;
  const auto linear = [](const Linear& l, const at::Tensor& input) {
    return ops::linear(input, l.weight->tensor, l.bias->tensor);
  };

  const auto qkv = linear(layer.c_attn, norm(layer.ln_1, x)).view({batch, seq, 3, args_.heads, head_dim}).unbind(2);
  at::Tensor mixed;
  if (cache != nullptr) {
    at::Tensor& keys = cache->keys[index];
    at::Tensor& values = cache->values[index];
    keys = keys.defined() ? at::cat({keys, qkv[1]}, 1) : qkv[1];
    values = values.defined() ? at::cat({values, qkv[2]}, 1) : qkv[2];
    mixed = ops::cached_attention(qkv[0], keys, values);
  } else {
    mixed = ops::causal_attention(qkv[0], qkv[1], qkv[2], document_starts);
  }
  const at::Tensor h = x + linear(layer.attn_c_proj, mixed.reshape({batch, seq, args_.dim}));
  return h + linear(layer.mlp_c_proj, at::gelu(linear(layer.c_fc, norm(layer.ln_2, h)), "tanh"));
}

}  // namespace rhea
