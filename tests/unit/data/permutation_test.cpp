#include "rhea/data/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace rhea {
namespace {

std::vector<std::uint64_t> order(std::uint64_t key, std::uint64_t n) {
  const Permutation permutation(key, n);
  std::vector<std::uint64_t> result(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    result[i] = permutation(i);
  }
  return result;
}

TEST(Permutation, HitsEverythingOnce) {
  for (std::uint64_t n = 1; n < 300; ++n) {
    std::vector<std::uint64_t> sorted = order(n * 77, n), all(n);
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(sorted, all) << n;
  }
}

TEST(Permutation, KeysGiveDifferentOrders) {
  EXPECT_EQ(order(1, 1000), order(1, 1000));
  EXPECT_NE(order(1, 1000), order(2, 1000));
}

TEST(Permutation, PlacesAreEvenlyTaken) {
  // 7 things, 7,000 keys: each thing comes first 1,000 times, standard deviation 29; six of them.
  std::vector<int> first(7);
  for (std::uint64_t key = 0; key < 7000; ++key) {
    ++first[Permutation(key, 7)(0)];
  }
  for (const int times : first) {
    EXPECT_NEAR(times, 1000, 175);
  }
}

TEST(Permutation, NeighboursPart) {
  // Correlation of i and its place over n = 10^5: standard deviation 1/sqrt(n).
  const auto places = order(3, 100000);
  double sum = 0;
  const double middle = (100000.0 - 1) / 2;
  for (std::size_t i = 0; i < places.size(); ++i) {
    sum += (static_cast<double>(i) - middle) * (static_cast<double>(places[i]) - middle);
  }
  const double variance = (1e10 - 1) / 12;
  EXPECT_LT(std::abs(sum / 1e5 / variance), 6 / std::sqrt(1e5));
}

TEST(Permutation, ServesHugeOnes) {
  const std::uint64_t n = std::uint64_t{1} << 40;
  EXPECT_LT(Permutation(9, n)(n - 1), n);
}

}  // namespace
}  // namespace rhea
