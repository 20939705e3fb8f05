#include "rhea/ops/reference.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>

#include <cmath>
#include <limits>

namespace rhea::ops::reference {

at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const at::Tensor& document_starts) {
  const std::int64_t seq = query.size(1), group = query.size(2) / key.size(2);
  const auto heads_first = [](const at::Tensor& x) { return x.transpose(1, 2); };
  const at::Tensor k = heads_first(key.repeat_interleave(group, 2)), v = heads_first(value.repeat_interleave(group, 2));
  at::Tensor scores = at::matmul(heads_first(query), k.transpose(2, 3)) / std::sqrt(static_cast<double>(query.size(3)));
  const at::Tensor position = at::arange(seq, query.options().dtype(at::kInt));
  at::Tensor hidden = position.unsqueeze(0) > position.unsqueeze(1);
  if (document_starts.defined()) {
    hidden = hidden.logical_or(position < document_starts.unsqueeze(2)).unsqueeze(1);
  }
  scores = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
  return heads_first(at::matmul(at::softmax(scores, -1), v));
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  return x * at::rsqrt((x * x).mean(-1, true) + eps) * weight;
}

at::Tensor rotary_embedding(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, const at::Tensor& document_starts,
                            std::int64_t first_position) {
  const std::int64_t batch = x.size(0), seq = x.size(1);
  at::Tensor positions = at::arange(first_position, first_position + seq, x.options().dtype(at::kLong)).repeat({batch, 1});
  if (document_starts.defined()) {
    positions = positions - document_starts;
  }
  const auto rows = [&](const at::Tensor& table) {
    return at::index_select(table, 0, positions.flatten()).view({batch, seq, 1, -1}).to(x.scalar_type());
  };
  const at::Tensor c = rows(cos), s = rows(sin);
  const auto pairs = x.unflatten(-1, {-1, 2}).unbind(-1);
  return at::stack({pairs[0] * c - pairs[1] * s, pairs[0] * s + pairs[1] * c}, -1).flatten(-2);
}

at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) {
  return gate * at::sigmoid(gate) * up;
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const at::Tensor y = at::matmul(x, weight.t());
  return bias.defined() ? y + bias : y;
}

at::Tensor linear_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                                std::int64_t ignore_index) {
  const at::Tensor valid = labels.ne(ignore_index).nonzero().squeeze(1);
  const at::Tensor log_probabilities = at::log_softmax(at::matmul(hidden.index_select(0, valid), weight.t()), 1);
  return -log_probabilities.gather(1, labels.index_select(0, valid).unsqueeze(1)).sum();
}

at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight) {
  std::vector<std::int64_t> shape = tokens.sizes().vec();
  shape.push_back(weight.size(1));
  return at::index_select(weight, 0, tokens.flatten()).view(shape);
}

}  // namespace rhea::ops::reference
