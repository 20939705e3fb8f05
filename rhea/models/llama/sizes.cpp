#include "rhea/models/llama/sizes.h"

#include "rhea/core/edit_distance.h"
#include "rhea/core/error.h"

#include <array>
#include <utility>

namespace rhea {
namespace {

// Llama 3.1's stretch of the rotary frequencies to 8 times the length they were trained on.
constexpr ops::RopeScaling kLlama31Scaling{
    .factor = 8.0, .low_freq_factor = 1.0, .high_freq_factor = 4.0, .original_max_position = 8192};

LlamaArgs llama2(std::int64_t dim, std::int64_t layers, std::int64_t heads) {
  return {.dim = dim,
          .layers = layers,
          .heads = heads,
          .kv_heads = heads,
          .vocab_size = 32000,
          .multiple_of = 256,
          .rope_theta = 10000.0};
}

LlamaArgs llama3(std::int64_t dim, std::int64_t layers, std::int64_t heads, std::int64_t kv_heads, double ffn_dim_multiplier,
                 std::int64_t multiple_of) {
  return {.dim = dim,
          .layers = layers,
          .heads = heads,
          .kv_heads = kv_heads,
          .ffn_dim_multiplier = ffn_dim_multiplier,
          .multiple_of = multiple_of,
          .rope_scaling = kLlama31Scaling};
}

LlamaArgs debug(std::int64_t layers, std::int64_t kv_heads = 16) {
  LlamaArgs args = llama3(256, layers, 16, kv_heads, 1.0, 256);
  args.vocab_size = 2048;
  return args;
}

LlamaArgs tied(LlamaArgs args) {
  args.tied = true;
  return args;
}

LlamaArgs base_134m() {
  LlamaArgs args = llama3(768, 12, 12, 12, 1.0, 256);
  args.vocab_size = 32000;
  args.rope_scaling.reset();
  return args;
}

using Size = std::pair<std::string_view, LlamaArgs>;

const std::array<Size, 12>& sizes() {
  static const std::array<Size, 12> table = {{
      {"debugmodel", debug(6)},  // 6,163,712 parameters
      {"debugmodel_2l", debug(2)},
      {"debugmodel_gqa", debug(2, 4)},  // four queries a key-value head
      {"134M", base_134m()},            // the benchmarks' middle size
      {"1B", tied(llama3(2048, 16, 32, 8, 1.5, 1024))},
      {"3B", tied(llama3(3072, 28, 24, 8, 1.0, 1024))},
      {"7B", llama2(4096, 32, 32)},
      {"8B", llama3(4096, 32, 32, 8, 1.3, 1024)},
      {"13B", llama2(5120, 40, 40)},
      {"40B", llama3(8192, 44, 64, 8, 1.3, 4096)},  // 70B's layer, 44 of them: Meta published no 40B
      {"70B", llama3(8192, 80, 64, 8, 1.3, 4096)},
      {"405B", llama3(16384, 126, 128, 8, 1.2, 4096)},
  }};
  return table;
}

}  // namespace

std::int64_t LlamaArgs::ffn_hidden_dim() const {
  const std::int64_t two_thirds = 2 * (4 * dim) / 3;
  const auto hidden = static_cast<std::int64_t>(ffn_dim_multiplier * static_cast<double>(two_thirds));
  return (hidden + multiple_of - 1) / multiple_of * multiple_of;
}

LlamaArgs llama_size(std::string_view flavor) {
  for (const auto& [name, args] : sizes()) {
    if (name == flavor) {
      return args;
    }
  }
  fail_usage("model.flavor: llama3 has no size \"{}\"{}", flavor, did_you_mean(flavor, llama_sizes()));
}

std::vector<std::string> llama_sizes() {
  std::vector<std::string> names;
  for (const auto& [name, args] : sizes()) {
    names.emplace_back(name);
  }
  return names;
}

}  // namespace rhea
