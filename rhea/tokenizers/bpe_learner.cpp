#include "rhea/tokenizers/bpe_learner.h"

#include "rhea/tokenizers/byte_level.h"
#include "rhea/tokenizers/pair_table.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace rhea {

BpeLearner::BpeLearner(std::vector<std::string> special_tokens, std::span<const WordCount> words)
    : tokens_(std::move(special_tokens)), num_special_(tokens_.size()) {
  std::array<int, 256> bytes;
  std::iota(bytes.begin(), bytes.end(), 0);
  std::sort(bytes.begin(), bytes.end(), [](int a, int b) { return spelling_of(a) < spelling_of(b); });
  std::array<std::int32_t, 256> id_of_byte;
  for (const int byte : bytes) {
    const char c = static_cast<char>(byte);
    id_of_byte[byte] = static_cast<std::int32_t>(tokens_.size());
    tokens_.push_back(spell_bytes({&c, 1}));
  }
  for (std::size_t id = 0; id < tokens_.size(); ++id) {
    ids_.emplace(tokens_[id], static_cast<std::int32_t>(id));
  }
  words_.reserve(words.size());
  for (const WordCount& counted : words) {
    const auto index = static_cast<std::uint32_t>(words_.size());
    Word& word = words_.emplace_back(Word{{}, counted.count});
    word.symbols.reserve(counted.word.size());
    for (const char c : counted.word) {
      word.symbols.push_back(id_of_byte[static_cast<unsigned char>(c)]);
    }
    for (std::size_t i = 1; i < word.symbols.size(); ++i) {
      add(word.symbols[i - 1], word.symbols[i], counted.count, index);
    }
  }
  changed_.clear();
  for (const auto& [key, pair] : pairs_) {
    candidates_.push({pair.count, key});
  }
}

void BpeLearner::add(std::int32_t left, std::int32_t right, std::int64_t count, std::uint32_t word) {
  Pair& pair = pairs_[pair_key(left, right)];
  pair.count += count;
  if (count > 0) {
    if (pair.words.empty() || pair.words.back() != word) {
      pair.words.push_back(word);
    }
    changed_.push_back(pair_key(left, right));
  }
}

void BpeLearner::learn(std::int64_t vocab_size) {
  while (static_cast<std::int64_t>(tokens_.size()) < vocab_size && learn_one()) {
  }
}

bool BpeLearner::learn_one() {
  while (!candidates_.empty()) {
    const Candidate top = candidates_.top();
    candidates_.pop();
    const auto pair = pairs_.find(top.pair);
    const std::int64_t count = pair == pairs_.end() ? 0 : pair->second.count;
    if (count != top.count) {  // it has shrunk since: back into the queue where it belongs now
      if (count > 0) {
        candidates_.push({count, top.pair});
      }
      continue;
    }
    const Merge merge = {static_cast<std::int32_t>(top.pair >> 32), static_cast<std::int32_t>(top.pair & 0xFFFFFFFF)};
    const std::int32_t token = token_for(merge.left, merge.right);
    if (token < 0) {
      continue;
    }
    merges_.push_back(merge);
    changed_.clear();
    const std::vector<std::uint32_t> words = std::move(pair->second.words);
    for (const std::uint32_t word : words) {
      merge_in_word(word, merge, token);
    }
    pairs_.erase(top.pair);
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    for (const std::uint64_t key : changed_) {
      if (const auto found = pairs_.find(key); found != pairs_.end() && found->second.count > 0) {
        candidates_.push({found->second.count, key});
      }
    }
    return true;
  }
  return false;
}

// The id of the two tokens put together; two ways may lead to one token. -1 if that is a special token, which text must
// not be able to make.
std::int32_t BpeLearner::token_for(std::int32_t left, std::int32_t right) {
  const auto next = static_cast<std::int32_t>(tokens_.size());
  const auto [found, is_new] = ids_.emplace(tokens_[left] + tokens_[right], next);
  if (is_new) {
    tokens_.push_back(found->first);
  }
  return static_cast<std::size_t>(found->second) < num_special_ ? -1 : found->second;
}

void BpeLearner::merge_in_word(std::uint32_t index, Merge merge, std::int32_t token) {
  std::vector<std::int32_t>& symbols = words_[index].symbols;
  const std::int64_t count = words_[index].count;
  std::size_t out = 0;
  for (std::size_t i = 0; i < symbols.size(); ++i, ++out) {
    if (symbols[i] != merge.left || i + 1 == symbols.size() || symbols[i + 1] != merge.right) {
      symbols[out] = symbols[i];
      continue;
    }
    // What stood left is final already; what stands right is as it was.
    if (out > 0) {
      add(symbols[out - 1], merge.left, -count, index);
      add(symbols[out - 1], token, count, index);
    }
    if (i + 2 < symbols.size()) {
      add(merge.right, symbols[i + 2], -count, index);
      add(token, symbols[i + 2], count, index);
    }
    symbols[out] = token;
    ++i;
  }
  symbols.resize(out);
}

}  // namespace rhea
