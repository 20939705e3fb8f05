#include "rhea/ops/cpu/attention.h"

#include "rhea/ops/cpu/attention_kernels.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <hwy/aligned_allocator.h>

namespace rhea::ops::cpu {
namespace {

template <class T>
HeadRows<T> rows_of(const at::Tensor& x, std::int64_t batch, std::int64_t head) {
  auto* data = static_cast<T*>(x.data_ptr()) + batch * x.stride(0) + head * x.stride(2);
  return {data, x.stride(1), x.stride(2)};
}

template <class T>
HeadRows<const T> rows_of_const(const at::Tensor& x, std::int64_t batch, std::int64_t head) {
  const auto* data = static_cast<const T*>(x.const_data_ptr()) + batch * x.stride(0) + head * x.stride(2);
  return {data, x.stride(1), x.stride(2)};
}

const std::int32_t* starts_of(const at::Tensor& document_starts, std::int64_t batch) {
  return document_starts.defined() ? document_starts.const_data_ptr<std::int32_t>() + batch * document_starts.size(1) : nullptr;
}

// run(batch, kv_head, scratch) for each pair, scratch of `floats` floats.
template <class Run>
void for_each_kv_head(const at::Tensor& key, std::int64_t floats, const Run& run) {
  const std::int64_t kv_heads = key.size(2);
  at::parallel_for(0, key.size(0) * kv_heads, 1, [&](std::int64_t begin, std::int64_t end) {
    const auto scratch = hwy::AllocateAligned<float>(static_cast<std::size_t>(floats));
    if (!scratch) {
      throw std::bad_alloc();
    }
    for (std::int64_t i = begin; i < end; ++i) {
      run(i / kv_heads, i % kv_heads, scratch.get());
    }
  });
}

template <class T>
void forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const at::Tensor& document_starts,
             const AttentionResult& result) {
  const std::int64_t seq = query.size(1), heads = query.size(2), head_dim = query.size(3), group = heads / key.size(2);
  float* log_sum_exp = result.log_sum_exp.data_ptr<float>();
  for_each_kv_head(key, attention_forward_scratch(seq, head_dim), [&](std::int64_t batch, std::int64_t kv_head, float* scratch) {
    const std::int64_t head = kv_head * group;
    cpu::attention_forward<T>({.seq = seq,
                               .head_dim = head_dim,
                               .group = group,
                               .query = rows_of_const<T>(query, batch, head),
                               .key = rows_of_const<T>(key, batch, kv_head),
                               .value = rows_of_const<T>(value, batch, kv_head),
                               .output = rows_of<T>(result.output, batch, head),
                               .log_sum_exp = log_sum_exp + (batch * heads + head) * seq,
                               .document_starts = starts_of(document_starts, batch)},
                              scratch);
  });
}

template <class T>
void backward(const at::Tensor& grad_output, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
              const AttentionResult& result, const at::Tensor& document_starts, const std::array<at::Tensor, 3>& grads) {
  const std::int64_t seq = query.size(1), heads = query.size(2), head_dim = query.size(3), group = heads / key.size(2);
  const float* log_sum_exp = result.log_sum_exp.const_data_ptr<float>();
  for_each_kv_head(key, attention_backward_scratch(seq, head_dim), [&](std::int64_t batch, std::int64_t kv_head, float* scratch) {
    const std::int64_t head = kv_head * group;
    cpu::attention_backward<T>({.seq = seq,
                                .head_dim = head_dim,
                                .group = group,
                                .query = rows_of_const<T>(query, batch, head),
                                .key = rows_of_const<T>(key, batch, kv_head),
                                .value = rows_of_const<T>(value, batch, kv_head),
                                .output = rows_of_const<T>(result.output, batch, head),
                                .grad_output = rows_of_const<T>(grad_output, batch, head),
                                .grad_query = rows_of<T>(grads[0], batch, head),
                                .grad_key = rows_of<T>(grads[1], batch, kv_head),
                                .grad_value = rows_of<T>(grads[2], batch, kv_head),
                                .log_sum_exp = log_sum_exp + (batch * heads + head) * seq,
                                .document_starts = starts_of(document_starts, batch)},
                               scratch);
  });
}

}  // namespace

bool attention_supports(const at::Tensor& query) {
  return query.is_cpu() && (query.scalar_type() == at::kFloat || query.scalar_type() == at::kBFloat16);
}

AttentionResult attention_forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                  const at::Tensor& document_starts) {
  const AttentionResult result{at::empty(query.sizes(), query.options()),
                               at::empty({query.size(0), query.size(2), query.size(1)}, query.options().dtype(at::kFloat))};
  if (query.numel() > 0) {
    const auto run = query.scalar_type() == at::kFloat ? forward<float> : forward<BFloat16>;
    run(query, key, value, document_starts, result);
  }
  return result;
}

std::array<at::Tensor, 3> attention_backward(const at::Tensor& grad_output, const at::Tensor& query, const at::Tensor& key,
                                             const at::Tensor& value, const AttentionResult& result,
                                             const at::Tensor& document_starts) {
  const std::array<at::Tensor, 3> grads{at::empty(query.sizes(), query.options()), at::empty(key.sizes(), key.options()),
                                        at::empty(value.sizes(), value.options())};
  if (query.numel() > 0) {
    const auto run = query.scalar_type() == at::kFloat ? backward<float> : backward<BFloat16>;
    run(grad_output, query, key, value, result, document_starts, grads);
  }
  return grads;
}

}  // namespace rhea::ops::cpu
