// Rotary position embedding (Su et al. 2021) on adjacent pairs, the layout of Meta's checkpoints: the pair
// (x[2i], x[2i+1]) is turned by position * theta^(-2i/head_dim).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <tuple>

namespace rhea::ops {

// Llama 3.1's stretching of the context: wavelengths beyond original_max_position / low_freq_factor are divided by
// `factor`, those below original_max_position / high_freq_factor are kept, and those between are blended.
struct RopeScaling {
  double factor = 8.0;
  double low_freq_factor = 1.0;
  double high_freq_factor = 4.0;
  std::int64_t original_max_position = 8192;
};

// cos and sin [max_seq, head_dim / 2], fp32, on the CPU; angles are computed in fp32 as PyTorch models do.
std::tuple<at::Tensor, at::Tensor> rope_tables(std::int64_t head_dim, std::int64_t max_seq, double theta,
                                               const std::optional<RopeScaling>& scaling = std::nullopt);

// x [batch, seq, heads, head_dim], last dimension contiguous; cos, sin from rope_tables, on x's device.
// Token t stands at position first_position + t - document_starts[t] (document_starts [batch, seq] int32; undefined
// means zeros). Gives x's shape and dtype, contiguous. Throws Error when a position lies beyond the tables.
at::Tensor rotary_embedding(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, const at::Tensor& document_starts,
                            std::int64_t first_position);

}  // namespace rhea::ops
