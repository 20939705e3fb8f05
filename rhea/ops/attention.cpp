#include "rhea/ops/attention.h"

#include "rhea/core/error.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <c10/core/GradMode.h>
#include <fmt/ranges.h>

namespace rhea::ops {
namespace {

void check_shapes(const char* name, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const bool fits = query.dim() == 4 && key.dim() == 4 && key.sizes() == value.sizes() && query.size(0) == key.size(0) &&
                    query.size(3) == key.size(3) && key.size(2) > 0 && query.size(2) % key.size(2) == 0;
  if (!fits) {
    fail(
        "{}: expected query [batch, seq, heads, head_dim] and key, value [batch, seq, kv_heads, head_dim] with heads a "
        "multiple of kv_heads; got query {}, key {}, value {}",
        name, fmt::join(query.sizes(), "x"), fmt::join(key.sizes(), "x"), fmt::join(value.sizes(), "x"));
  }
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
