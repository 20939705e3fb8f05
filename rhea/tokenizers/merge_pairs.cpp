#include "rhea/tokenizers/merge_pairs.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>

namespace rhea {
namespace {

constexpr std::size_t kShortPiece = 48;  // symbols; up to there looking at all pairs beats a heap

void merge_short(const PairTable& merges, std::span<std::int32_t> symbols, std::vector<std::int32_t>& ids) {
  std::array<PairTable::Merge, kShortPiece> next;  // what symbols i and i + 1 merge into
  constexpr PairTable::Merge kNothing = {INT32_MAX, -1};
  std::size_t count = symbols.size();
  const auto look_up = [&](std::size_t i) {
    const PairTable::Merge* merge = i + 1 < count ? merges.find(symbols[i], symbols[i + 1]) : nullptr;
    next[i] = merge != nullptr ? *merge : kNothing;
  };
  for (std::size_t i = 0; i < count; ++i) {
    look_up(i);
  }
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (next[i].rank < next[best].rank) {
        best = i;
      }
    }
    if (next[best].token < 0) {
      break;
    }
    symbols[best] = next[best].token;
    std::copy(symbols.begin() + best + 2, symbols.begin() + count, symbols.begin() + best + 1);
    std::copy(next.begin() + best + 2, next.begin() + count, next.begin() + best + 1);
    --count;
    look_up(best);
    if (best > 0) {
      look_up(best - 1);
    }
  }
  ids.insert(ids.end(), symbols.begin(), symbols.begin() + count);
}

void merge_long(const PairTable& merges, std::span<const std::int32_t> start, std::vector<std::int32_t>& ids) {
  struct Symbol {
    std::int32_t id;  // -1: merged into its left neighbour
    std::int64_t previous, next;
  };
  struct Candidate {
    std::int32_t rank, token;
    std::int64_t at;
    std::int32_t left, right;  // the ids at the time: a candidate is stale when they have changed
    bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
  };
  std::vector<Symbol> symbols;
  symbols.reserve(start.size());
  for (const std::int32_t id : start) {
    const auto i = static_cast<std::int64_t>(symbols.size());
    symbols.push_back({id, i - 1, i + 1});
  }
  const auto count = static_cast<std::int64_t>(symbols.size());
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](std::int64_t at) {
    if (at < 0 || symbols[at].next >= count) {
      return;
    }
    const std::int32_t left = symbols[at].id, right = symbols[symbols[at].next].id;
    if (const PairTable::Merge* merge = merges.find(left, right)) {
      candidates.push({merge->rank, merge->token, at, left, right});
    }
  };
  for (std::int64_t i = 0; i < count; ++i) {
    consider(i);
  }
  while (!candidates.empty()) {
    const Candidate top = candidates.top();
    candidates.pop();
    Symbol& left = symbols[top.at];
    if (left.id != top.left || left.next >= count || symbols[left.next].id != top.right) {
      continue;
    }
    Symbol& right = symbols[left.next];
    left.id = top.token;
    right.id = -1;
    left.next = right.next;
    if (left.next < count) {
      symbols[left.next].previous = top.at;
    }
    consider(left.previous);
    consider(top.at);
  }
  for (const Symbol& symbol : symbols) {
    if (symbol.id >= 0) {
      ids.push_back(symbol.id);
    }
  }
}

}  // namespace

void merge_pairs(const PairTable& merges, std::span<std::int32_t> symbols, std::vector<std::int32_t>& ids) {
  if (symbols.size() <= kShortPiece) {
    merge_short(merges, symbols, ids);
  } else {
    merge_long(merges, symbols, ids);
  }
}

}  // namespace rhea
