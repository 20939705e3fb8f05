#include "rhea/eval/sampling.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace rhea {
namespace {

std::map<std::int64_t, double> frequencies(std::span<const float> logits, const SamplingOptions& options, int draws) {
  std::map<std::int64_t, double> counts;
  for (int i = 0; i < draws; ++i) {
    counts[sample_token(logits, options, static_cast<std::uint64_t>(i))] += 1.0 / draws;
  }
  return counts;
}

TEST(Sampling, GreedyTakesTheLikeliestAndTheSmallerIdOfEquals) {
  const std::array<float, 4> logits = {0.5F, 2.0F, 2.0F, -1.0F};
  EXPECT_EQ(sample_token(logits, {.temperature = 0.0}, 0), 1);
}

TEST(Sampling, FollowsTheSoftmax) {
  const std::array<float, 3> logits = {std::log(0.5F), std::log(0.3F), std::log(0.2F)};
  const auto seen = frequencies(logits, {}, 20000);
  // Five standard deviations of a share of 0.5 over 20,000 draws: 0.018.
  EXPECT_NEAR(seen.at(0), 0.5, 0.018);
  EXPECT_NEAR(seen.at(1), 0.3, 0.018);
  EXPECT_NEAR(seen.at(2), 0.2, 0.018);
}

TEST(Sampling, TemperatureSharpens) {
  const std::array<float, 2> logits = {1.0F, 0.0F};
  const auto seen = frequencies(logits, {.temperature = 0.5}, 20000);
  EXPECT_NEAR(seen.at(0), 1.0 / (1.0 + std::exp(-2.0)), 0.018);
}

TEST(Sampling, TopKAndTopPKeepTheLikeliest) {
  const std::array<float, 4> logits = {std::log(0.1F), std::log(0.4F), std::log(0.3F), std::log(0.2F)};
  const auto two = frequencies(logits, {.top_k = 2}, 2000);
  EXPECT_EQ(two.size(), 2U);
  EXPECT_TRUE(two.contains(1) && two.contains(2));
  const auto nucleus = frequencies(logits, {.top_p = 0.65}, 2000);
  EXPECT_EQ(nucleus.size(), 2U);
  EXPECT_TRUE(nucleus.contains(1) && nucleus.contains(2));
  const auto least = frequencies(logits, {.top_p = 1e-9}, 100);
  EXPECT_EQ(least.size(), 1U) << "the likeliest token always stays";
}

TEST(Sampling, SameSeedSameTokens) {
  const std::vector<float> logits(100, 0.0F);
  const SamplingOptions options{.seed = 7};
  EXPECT_EQ(sample_token(logits, options, 3), sample_token(logits, options, 3));
  EXPECT_NE(frequencies(logits, options, 50), frequencies(logits, {.seed = 8}, 50));
}

}  // namespace
}  // namespace rhea
