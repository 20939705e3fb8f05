// Hash table from a pair of token ids to what they merge into: open addressing, built once, then read by all threads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhea {

inline std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
}

inline std::uint64_t mix_pair(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15;  // Fibonacci hashing; the high bits are the good ones
  return key ^ (key >> 32);
}

class PairTable {
 public:
  struct Merge {
    std::int32_t rank;  // lower merges first
    std::int32_t token;
  };

  explicit PairTable(std::size_t pairs) : slots_(std::bit_ceil(pairs * 2 + 2)) {}

  // False if the pair is there already; it keeps its merge.
  bool insert(std::int32_t left, std::int32_t right, Merge merge) {
    Slot& slot = slots_[place(pair_key(left, right))];
    if (slot.key != kFree) {
      return false;
    }
    slot = {pair_key(left, right), merge};
    return true;
  }

  const Merge* find(std::int32_t left, std::int32_t right) const {
    const Slot& slot = slots_[place(pair_key(left, right))];
    return slot.key == kFree ? nullptr : &slot.merge;
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // ids are not negative
  struct Slot {
    std::uint64_t key = kFree;
    Merge merge{};
  };

  std::size_t place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = mix_pair(key) & mask;
    while (slots_[i].key != kFree && slots_[i].key != key) {
      i = (i + 1) & mask;
    }
    return i;
  }

  std::vector<Slot> slots_;
};

}  // namespace rhea
