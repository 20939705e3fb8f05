// Learns merges from counted words: the heart of BPE training.
#pragma once

#include "rhea/tokenizers/word_count.h"

#include <cstdint>
#include <queue>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace rhea {

class BpeLearner {
 public:
  // `tokens` holds the special tokens and then the 256 bytes in the order of their spelling; learned ones are appended.
  BpeLearner(std::vector<std::string> special_tokens, std::span<const WordCount> words);

  // Merges the most frequent pair, again and again, until there are vocab_size tokens or no pair is left.
  void learn(std::int64_t vocab_size);

  struct Merge {
    std::int32_t left, right;
  };
  const std::vector<Merge>& merges() const { return merges_; }
  const std::vector<std::string>& tokens() const { return tokens_; }  // as a vocabulary spells them

 private:
  struct Word {
    std::vector<std::int32_t> symbols;
    std::int64_t count;
  };
  struct Pair {
    std::int64_t count = 0;
    std::vector<std::uint32_t> words;  // that may hold it: words leave late, at the next look
  };
  struct Candidate {
    std::int64_t count;
    std::uint64_t pair;
    // The most frequent first; of equals the smallest ids.
    bool operator<(const Candidate& other) const { return count != other.count ? count < other.count : pair > other.pair; }
  };

  bool learn_one();
  std::int32_t token_for(std::int32_t left, std::int32_t right);
  void merge_in_word(std::uint32_t word, Merge merge, std::int32_t token);
  void add(std::int32_t left, std::int32_t right, std::int64_t count, std::uint32_t word);

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::int32_t> ids_;
  std::size_t num_special_;
  std::vector<Word> words_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  std::vector<std::uint64_t> changed_;  // pairs that grew in this merge
  std::priority_queue<Candidate> candidates_;
  std::vector<Merge> merges_;
};

}  // namespace rhea
