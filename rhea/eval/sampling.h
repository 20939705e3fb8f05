// Choosing the next token from its logits: greedy, or drawn with temperature, top-k and top-p.
#pragma once

#include <cstdint>
#include <span>

namespace rhea {

struct SamplingOptions {
  double temperature = 1.0;  // 0: always the likeliest token
  std::int64_t top_k = 0;    // only the k likeliest tokens; 0: all
  double top_p = 1.0;        // only the likeliest tokens that together have this probability (Holtzman et al. 2020)
  std::uint64_t seed = 42;
};

// The token chosen from logits [vocab]. `draw` numbers the draws of one stream: the same (options, logits, draw) give
// the same token. Ties go to the smaller id.
std::int64_t sample_token(std::span<const float> logits, const SamplingOptions& options, std::uint64_t draw);

}  // namespace rhea
