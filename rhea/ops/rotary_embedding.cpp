#include "rhea/ops/rotary_embedding.h"

#include "rhea/core/error.h"
#include "rhea/ops/cpu/element_type.h"
#include "rhea/ops/cpu/rowwise_kernels.h"
#include "rhea/ops/gemm.h"
#include "rhea/ops/gradient.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <c10/core/GradMode.h>
#include <fmt/ranges.h>

#include <numbers>

namespace rhea::ops {
namespace {

constexpr std::int64_t kTokens = 64;  // tokens a thread should at least have

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

struct Turn {
  at::Tensor cos, sin, document_starts;
  std::int64_t first_position;
};

at::Tensor rotate_aten(const at::Tensor& x, const Turn& turn, float direction) {
  const std::int64_t seq = x.size(1);
  at::Tensor positions =
      at::arange(turn.first_position, turn.first_position + seq, at::TensorOptions(at::kLong).device(x.device())).unsqueeze(0);
  if (turn.document_starts.defined()) {
    positions = positions - turn.document_starts;
  }
  const auto rows = [&](const at::Tensor& table) {
    return table.index_select(0, positions.flatten()).view({-1, seq, 1, x.size(3) / 2});
  };
  const at::Tensor cos = rows(turn.cos), sin = rows(turn.sin) * direction;
  const auto pairs = x.to(sum_dtype(x.scalar_type())).unflatten(-1, {-1, 2}).unbind(-1);
  const at::Tensor first = pairs[0] * cos - pairs[1] * sin, second = pairs[0] * sin + pairs[1] * cos;
  return at::stack({first, second}, -1).flatten(-2).to(x.scalar_type());
}

at::Tensor rotate(const at::Tensor& x, const Turn& turn, float direction) {
  if (!cpu::has_kernels_for(x)) {
    return rotate_aten(x, turn, direction);
  }
  const at::Tensor source = x.stride(3) == 1 ? x : x.contiguous();
  at::Tensor y = at::empty(x.sizes(), x.options());
  const std::int64_t seq = x.size(1), heads = x.size(2), head_dim = x.size(3);
  const float *cos = turn.cos.const_data_ptr<float>(), *sin = turn.sin.const_data_ptr<float>();
  const std::int32_t* starts = turn.document_starts.defined() ? turn.document_starts.const_data_ptr<std::int32_t>() : nullptr;
  cpu::with_element_type(x.scalar_type(), [&]<class T>(T) {
    const T* from = cpu::elements<T>(source);
    T* to = cpu::mutable_elements<T>(y);
    at::parallel_for(0, x.size(0) * seq, kTokens, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row = i / seq, t = i % seq;
        const std::int64_t at = (turn.first_position + t - (starts != nullptr ? starts[i] : 0)) * (head_dim / 2);
        cpu::rotate_token(heads, head_dim, from + row * source.stride(0) + t * source.stride(1), source.stride(2), cos + at,
                          sin + at, direction, to + i * heads * head_dim);
      }
    });
  });
  return y;
}

void check_inputs(const at::Tensor& x, const Turn& turn) {
  if (x.dim() != 4 || x.size(3) % 2 != 0 || turn.cos.dim() != 2 || turn.cos.size(1) != x.size(3) / 2 ||
      turn.sin.sizes() != turn.cos.sizes()) {
    fail("rotary_embedding: expected x [batch, seq, heads, head_dim] and tables [max_seq, head_dim / 2]; got [{}], [{}] and [{}]",
         fmt::join(x.sizes(), ", "), fmt::join(turn.cos.sizes(), ", "), fmt::join(turn.sin.sizes(), ", "));
  }
  const std::int64_t end = turn.first_position + x.size(1);
  if (turn.first_position < 0 || end > turn.cos.size(0)) {
    fail("rotary_embedding: position {} is beyond the tables' {} positions", end - 1, turn.cos.size(0));
  }
  const at::Tensor& starts = turn.document_starts;
  if (!starts.defined()) {
    return;
  }
  if (starts.scalar_type() != at::kInt || starts.dim() != 2 || starts.size(0) != x.size(0) || starts.size(1) != x.size(1)) {
    fail("rotary_embedding: expected document_starts [{}, {}] int32, got [{}] {}", x.size(0), x.size(1),
         fmt::join(starts.sizes(), ", "), c10::toString(starts.scalar_type()));
  }
  if (!starts.is_cpu()) {
    return;
  }
  const std::int32_t* values = starts.const_data_ptr<std::int32_t>();
  for (std::int64_t i = 0; i < starts.numel(); ++i) {
    if (values[i] < 0 || values[i] > turn.first_position + i % x.size(1)) {
      fail("rotary_embedding: document_starts[{}, {}] is {}, after its own token", i / x.size(1), i % x.size(1), values[i]);
    }
  }
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
  const Turn turn{cos.contiguous(), sin.contiguous(), document_starts.defined() ? document_starts.contiguous() : document_starts,
                  first_position};
  check_inputs(x, turn);
  at::Tensor y;
  {
    const c10::NoGradGuard no_grad;
    y = rotate(x.detach(), turn, 1);
  }
  // The transpose of a rotation is the rotation by the opposite angle.
  return with_gradient("rotary_embedding", {x}, {y}, [turn](at::TensorList grad) {
    return std::vector<at::Tensor>{grad[0].defined() ? rotate(grad[0], turn, -1) : at::Tensor()};
  })[0];
}

}  // namespace rhea::ops
