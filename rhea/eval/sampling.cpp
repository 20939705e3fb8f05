#include "rhea/eval/sampling.h"

#include "rhea/core/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace rhea {

std::int64_t sample_token(std::span<const float> logits, const SamplingOptions& options, std::uint64_t draw) {
  if (options.temperature <= 0.0) {
    return std::max_element(logits.begin(), logits.end()) - logits.begin();
  }
  std::vector<std::int64_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto likelier = [&logits](std::int64_t a, std::int64_t b) {
    const float x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  };
  const std::size_t kept = options.top_k > 0 ? std::min(static_cast<std::size_t>(options.top_k), order.size()) : order.size();
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), likelier);
  order.resize(kept);

  // Probabilities relative to the likeliest token, so that nothing overflows.
  const double largest = logits[static_cast<std::size_t>(order.front())];
  std::vector<double> weights;
  weights.reserve(kept);
  for (const std::int64_t token : order) {
    weights.push_back(std::exp((logits[static_cast<std::size_t>(token)] - largest) / options.temperature));
  }
  double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (options.top_p < 1.0) {
    double sum = 0.0;
    std::size_t nucleus = 0;
    while (nucleus < weights.size() && sum < options.top_p * total) {
      sum += weights[nucleus++];
    }
    weights.resize(std::max<std::size_t>(nucleus, 1));
    total = std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  double remaining = uniform(stream_key(options.seed, "sample"), draw) * total;
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    remaining -= weights[i];
    if (remaining < 0.0) {
      return order[i];
    }
  }
  return order[weights.size() - 1];
}

}  // namespace rhea
