#include "rhea/data/permutation.h"

#include "rhea/core/random.h"

#include <bit>

namespace rhea {

Permutation::Permutation(std::uint64_t key, std::uint64_t n) : key_(key), n_(n) {
  half_bits_ = n <= 4 ? 1 : (std::bit_width(n - 1) + 1) / 2;
  half_mask_ = (std::uint64_t{1} << half_bits_) - 1;
}

// A Feistel network of six rounds permutes [0, 4^half_bits), which has fewer than 4 n elements (Luby and Rackoff, 1988);
// walking its cycle until it is back in [0, n) permutes that (Black and Rogaway, 2002).
std::uint64_t Permutation::operator()(std::uint64_t i) const {
  constexpr int kRounds = 6;
  do {
    std::uint64_t left = i >> half_bits_, right = i & half_mask_;
    for (int round = 0; round < kRounds; ++round) {
      const std::uint64_t mixed = left ^ (philox(key_, right, static_cast<std::uint64_t>(round))[0] & half_mask_);
      left = right;
      right = mixed;
    }
    i = (left << half_bits_) | right;
  } while (i >= n_);
  return i;
}

}  // namespace rhea
