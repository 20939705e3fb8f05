// A shuffled order of n things without a list of it: a bijection of [0, n) in O(1) memory and time.
#pragma once

#include <cstdint>

namespace rhea {

class Permutation {
 public:
  // n >= 1. Each key gives its own order, the same on every machine.
  Permutation(std::uint64_t key, std::uint64_t n);
  std::uint64_t operator()(std::uint64_t i) const;  // i < n

 private:
  std::uint64_t key_, n_, half_mask_;
  int half_bits_;
};

}  // namespace rhea
