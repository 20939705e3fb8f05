#include "rhea/ops/attention.h"

#include "rhea/core/error.h"
#include "rhea/ops/cpu/attention.h"
#include "rhea/ops/gradient.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <c10/core/GradMode.h>
#include <fmt/ranges.h>

namespace rhea::ops {
namespace {

void check_shapes(const char* name, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const bool fits = query.dim() == 4 && key.dim() == 4 && key.sizes() == value.sizes() &&
                    key.scalar_type() == query.scalar_type() && value.scalar_type() == query.scalar_type() &&
                    query.size(0) == key.size(0) && query.size(3) == key.size(3) && key.size(2) > 0 &&
                    query.size(2) % key.size(2) == 0;
  if (!fits) {
    fail(
        "{}: expected query [batch, seq, heads, head_dim] and key, value [batch, seq, kv_heads, head_dim] with heads a "
        "multiple of kv_heads; got query {}, key {}, value {}",
        name, fmt::join(query.sizes(), "x"), fmt::join(key.sizes(), "x"), fmt::join(value.sizes(), "x"));
  }
}

// Starts that the blocked kernel may trust: what lies outside of a document is skipped by them, and memory is read at them.
void check_document_starts(const at::Tensor& starts, const at::Tensor& query) {
  if (starts.scalar_type() != at::kInt || starts.dim() != 2 || starts.size(0) != query.size(0) ||
      starts.size(1) != query.size(1)) {
    fail("causal_attention: expected document_starts [{}, {}] int32, got [{}] {}", query.size(0), query.size(1),
         fmt::join(starts.sizes(), ", "), c10::toString(starts.scalar_type()));
  }
  const auto rows = starts.accessor<std::int32_t, 2>();
  for (std::int64_t row = 0; row < starts.size(0); ++row) {
    std::int32_t before = 0;
    for (std::int64_t t = 0; t < starts.size(1); ++t) {
      const std::int32_t start = rows[row][t];
      if (start < before || start > t) {
        fail("causal_attention: document_starts[{}, {}] is {}; it must lie between the start before it, {}, and its own token",
             row, t, start, before);
      }
      before = start;
    }
  }
}

at::Tensor with_contiguous_rows(const at::Tensor& x) {
  return x.stride(3) == 1 || x.size(3) == 1 ? x : x.contiguous();
}

at::Tensor blocked_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                             const at::Tensor& document_starts) {
  at::Tensor starts;
  if (document_starts.defined()) {
    check_document_starts(document_starts, query);
    starts = document_starts.contiguous();
  }
  const at::Tensor q = with_contiguous_rows(query.detach()), k = with_contiguous_rows(key.detach()),
                   v = with_contiguous_rows(value.detach());
  const auto result = cpu::attention_forward(q, k, v, starts);
  // Saved apart from the tensor that autograd will own, or each would keep the other alive.
  const cpu::AttentionResult saved{result.output.detach(), result.log_sum_exp};
  auto backward = [=](at::TensorList grad) {
    if (!grad[0].defined()) {
      return std::vector<at::Tensor>(3);
    }
    const auto grads = cpu::attention_backward(with_contiguous_rows(grad[0]), q, k, v, saved, starts);
    return std::vector<at::Tensor>(grads.begin(), grads.end());
  };
  return with_gradient("causal_attention", {query, key, value}, {result.output}, std::move(backward))[0];
}

// mask [batch, 1, query, key]: true where the query may look.
at::Tensor document_mask(const at::Tensor& document_starts) {
  const at::Tensor position = at::arange(document_starts.size(1), document_starts.options());
  const at::Tensor causal = position.unsqueeze(0).le(position.unsqueeze(1));
  return causal.logical_and(position.ge(document_starts.unsqueeze(2))).unsqueeze(1);
}

at::Tensor aten_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                          const std::optional<at::Tensor>& mask, bool causal) {
  const bool grouped = query.size(2) != key.size(2);
  return at::scaled_dot_product_attention(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), mask, 0.0, causal,
                                          std::nullopt, grouped)
      .transpose(1, 2)
      .contiguous();
}

}  // namespace

at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const at::Tensor& document_starts) {
  check_shapes("causal_attention", query, key, value);
  if (query.size(1) != key.size(1)) {
    fail("causal_attention: {} queries but {} keys; with a cache use cached_attention", query.size(1), key.size(1));
  }
  if (cpu::attention_supports(query)) {
    return blocked_attention(query, key, value, document_starts);
  }
  if (document_starts.defined()) {
    return aten_attention(query, key, value, document_mask(document_starts), false);
  }
  return aten_attention(query, key, value, std::nullopt, true);
}

at::Tensor cached_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  check_shapes("cached_attention", query, key, value);
  const c10::NoGradGuard no_grad;
  const std::int64_t fresh = query.size(1), total = key.size(1);
  if (fresh > total) {
    fail("cached_attention: {} new queries but only {} keys; the cache must hold the new ones too", fresh, total);
  }
  if (fresh == 1) {
    return aten_attention(query, key, value, std::nullopt, false);
  }
  const auto options = query.options().dtype(at::kLong);
  const at::Tensor last = at::arange(total - fresh, total, options).unsqueeze(1);
  return aten_attention(query, key, value, at::arange(total, options).le(last), false);
}

}  // namespace rhea::ops
