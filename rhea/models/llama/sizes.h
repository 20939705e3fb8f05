// The llama sizes by name, with their published shapes.
#pragma once

#include "rhea/ops/rotary_embedding.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct LlamaArgs {
  std::int64_t dim = 4096;
  std::int64_t layers = 32;
  std::int64_t heads = 32;
  std::int64_t kv_heads = 32;
  std::int64_t vocab_size = 128256;
  double ffn_dim_multiplier = 1.0;
  std::int64_t multiple_of = 256;
  double norm_eps = 1e-5;
  double rope_theta = 500000.0;
  std::optional<ops::RopeScaling> rope_scaling = std::nullopt;
  std::int64_t max_seq_len = 2048;
  bool tied = false;       // the head is the embedding table
  bool qk_norm = false;    // RMSNorm over each head's query and key, before the rotation
  bool depth_init = true;  // residual projections' std by the layer's own depth; else by the whole depth

  std::int64_t head_dim() const { return dim / heads; }
  // 2/3 of 4 dim, times the multiplier, rounded up to multiple_of.
  std::int64_t ffn_hidden_dim() const;
};

// Throws UsageError with the nearest names when there is no such size.
LlamaArgs llama_size(std::string_view flavor);
std::vector<std::string> llama_sizes();

}  // namespace rhea
