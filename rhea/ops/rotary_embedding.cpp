#include "rhea/ops/rotary_embedding.h"

#include "rhea/core/error.h"
#include "rhea/ops/gradient.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <c10/core/GradMode.h>

#include <numbers>

namespace rhea::ops {
namespace {

at::Tensor scale_frequencies(const at::Tensor& freqs, const RopeScaling& scaling) {
  const auto original = static_cast<double>(scaling.original_max_position);
  const at::Tensor wavelength = 2 * std::numbers::pi / freqs;
  const double low_wavelength = original / scaling.low_freq_factor, high_wavelength = original / scaling.high_freq_factor;
  const at::Tensor smooth =
      (original / wavelength - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor);
  const at::Tensor slowed = freqs / scaling.factor;
  const at::Tensor blended = (1 - smooth) * slowed + smooth * freqs;
  return at::where(wavelength < high_wavelength, freqs, at::where(wavelength > low_wavelength, slowed, blended));
}

// Rows of a table, one a token: [batch or 1, seq, 1, head_dim / 2].
at::Tensor rows_of(const at::Tensor& table, const at::Tensor& positions, const at::Tensor& x) {
  return table.index_select(0, positions.reshape({-1})).view({-1, x.size(1), 1, x.size(3) / 2});
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  const auto pairs = x.to(x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat).unflatten(-1, {-1, 2}).unbind(-1);
  const at::Tensor first = pairs[0] * cos - pairs[1] * sin, second = pairs[0] * sin + pairs[1] * cos;
  return at::stack({first, second}, -1).flatten(-2).to(x.scalar_type());
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> rope_tables(std::int64_t head_dim, std::int64_t max_seq, double theta,
                                               const std::optional<RopeScaling>& scaling) {
  const at::Tensor exponents = at::arange(0, head_dim, 2, at::kFloat) / static_cast<double>(head_dim);
  at::Tensor freqs = 1.0 / at::pow(theta, exponents);
  if (scaling) {
    freqs = scale_frequencies(freqs, *scaling);
  }
  const at::Tensor angles = at::outer(at::arange(max_seq, at::kFloat), freqs);
  return {angles.cos(), angles.sin()};
}

at::Tensor rotary_embedding(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, const at::Tensor& document_starts,
                            std::int64_t first_position) {
  const std::int64_t seq = x.size(1);
  if (first_position + seq > cos.size(0)) {
    fail("rotary_embedding: position {} is beyond the tables' {} positions", first_position + seq - 1, cos.size(0));
  }
  const c10::Device device = x.device();
  at::Tensor y, token_cos, token_sin;
  {
    const c10::NoGradGuard no_grad;
    at::Tensor positions = at::arange(first_position, first_position + seq, at::TensorOptions(at::kLong).device(device));
    if (document_starts.defined()) {
      positions = positions - document_starts;
    }
    token_cos = rows_of(cos, positions, x);
    token_sin = rows_of(sin, positions, x);
    y = rotate(x.detach(), token_cos, token_sin);
  }
  // The inverse of a rotation is the rotation by the opposite angle, and so is its transpose.
  return with_gradient("rotary_embedding", {x}, {y}, [=](at::TensorList grad) -> std::vector<at::Tensor> {
    return {grad[0].defined() ? rotate(grad[0], token_cos, token_sin.neg()) : at::Tensor()};
  })[0];
}

}  // namespace rhea::ops
