#include "rhea/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace rhea {
namespace {

std::vector<float> normals(std::size_t count, std::uint64_t key, std::uint64_t first = 0) {
  std::vector<float> out(count);
  fill_normal(out, key, first);
  return out;
}

// The Kolmogorov-Smirnov statistic: the largest gap between the sample's distribution and `cdf`.
double largest_gap(std::vector<double> sample, const auto& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double gap = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double expected = cdf(sample[i]);
    gap = std::max({gap, expected - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - expected});
  }
  return gap;
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

constexpr std::size_t kCount = 1 << 20;
// A true sample exceeds this with probability 2 exp(-2 * 2.2^2) = 1e-4; the streams are fixed, so the test never flickers.
const double kLargestGap = 2.2 / std::sqrt(static_cast<double>(kCount));

// The three vectors of the Random123 distribution (kat_vectors, philox4x32 10).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox(0, 0, 0), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~0ULL, ~0ULL, ~0ULL), (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(StreamKey, DiffersBySeedAndName) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const char* name : {"", "a", "b", "ab", "layers.0.attention.wq.weight", "layers.1.attention.wq.weight"}) {
      keys.insert(stream_key(seed, name));
    }
  }
  EXPECT_EQ(keys.size(), 600U);
}

// A run's weights follow from it: a change makes every published seed another model. The values are those of a second
// implementation, in Python.
TEST(StreamKey, NeverChanges) {
  EXPECT_EQ(hash_name(""), 0xf52a15e9a9b5e89bULL);
  EXPECT_EQ(hash_name("tok_embeddings.weight"), 0xe241bfdc9de04e9bULL);
  EXPECT_EQ(stream_key(42, "tok_embeddings.weight"), 0xf1a1e2029ad0ff44ULL);
}

TEST(Normal, HasTheMomentsOfANormal) {
  double sum[5] = {};
  for (const float x : normals(kCount, stream_key(1, "moments"))) {
    for (int power = 1; power <= 4; ++power) {
      sum[power] += std::pow(static_cast<double>(x), power);
    }
  }
  // Variances of x, x^2, x^3, x^4 are 1, 2, 15, 96; four deviations of their means over kCount draws.
  const double n = kCount, deviation = 4 / std::sqrt(n);
  EXPECT_NEAR(sum[1] / n, 0, deviation);
  EXPECT_NEAR(sum[2] / n, 1, deviation * std::sqrt(2.0));
  EXPECT_NEAR(sum[3] / n, 0, deviation * std::sqrt(15.0));
  EXPECT_NEAR(sum[4] / n, 3, deviation * std::sqrt(96.0));
}

TEST(Normal, HasTheDistributionOfANormal) {
  const auto sample = normals(kCount, stream_key(2, "distribution"));
  EXPECT_LT(largest_gap({sample.begin(), sample.end()}, normal_cdf), kLargestGap);
}

TEST(Normal, NeighboursAreUncorrelated) {
  const auto sample = normals(kCount, stream_key(3, "neighbours"));
  for (const std::size_t lag : {1, 2, 3}) {
    double sum = 0;
    for (std::size_t i = lag; i < sample.size(); ++i) {
      sum += static_cast<double>(sample[i]) * static_cast<double>(sample[i - lag]);
    }
    EXPECT_NEAR(sum / kCount, 0, 4 / std::sqrt(static_cast<double>(kCount))) << "lag " << lag;
  }
}

TEST(Normal, AnElementDependsOnItsIndexOnly) {
  const auto whole = normals(1000, 7);
  for (const std::size_t first : {0, 1, 2, 499, 998, 999}) {
    for (const std::size_t count : {1, 2, 3, 500}) {
      const std::size_t here = std::min(count, whole.size() - first);
      const auto part = normals(here, 7, first);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first)))
          << first << " " << count;
    }
  }
  EXPECT_TRUE(normals(0, 7).empty());
}

TEST(TruncatedNormal, KeepsToItsBoundAndDistribution) {
  constexpr double kBound = 1.0;
  std::vector<float> out(kCount);
  fill_truncated_normal(out, stream_key(4, "truncated"), 0, kBound);
  EXPECT_LE(*std::max_element(out.begin(), out.end()), kBound);
  EXPECT_GE(*std::min_element(out.begin(), out.end()), -kBound);
  const double below = normal_cdf(-kBound), inside = 1 - 2 * below;
  EXPECT_LT(largest_gap({out.begin(), out.end()}, [&](double x) { return (normal_cdf(x) - below) / inside; }), kLargestGap);
}

TEST(TruncatedNormal, AnElementDependsOnItsIndexOnly) {
  std::vector<float> whole(1000), part(300);
  fill_truncated_normal(whole, 7, 0, 1.5);
  fill_truncated_normal(part, 7, 501, 1.5);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 501));
  // Only what lies outside the bound is drawn again.
  const auto plain = normals(1000, 7);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (std::abs(plain[i]) <= 1.5F) {
      ASSERT_EQ(whole[i], plain[i]);
    }
  }
}

TEST(Uniform, HasTheDistributionOfAUniform) {
  std::vector<double> sample(kCount);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = uniform(stream_key(5, "uniform"), i);
    ASSERT_GE(sample[i], 0.0);
    ASSERT_LT(sample[i], 1.0);
  }
  EXPECT_LT(largest_gap(sample, [](double x) { return x; }), kLargestGap);
}

TEST(UniformBelow, StaysBelowAndReachesAll) {
  std::vector<int> seen(7);
  for (std::uint64_t i = 0; i < 7000; ++i) {
    ++seen.at(uniform_below(9, i, 7));
  }
  // 1,000 expected of each; six binomial deviations are 176.
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 824);
  EXPECT_LT(*std::max_element(seen.begin(), seen.end()), 1176);
  EXPECT_EQ(uniform_below(9, 0, 1), 0U);
}

}  // namespace
}  // namespace rhea
