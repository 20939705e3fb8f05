// Third stage: byte-pair encoding of one piece (Sennrich et al., 2016, on bytes as GPT-2 has it).
//
// A piece starts as one token a byte; of all neighbouring pairs the one that was learned first merges (the leftmost of
// equals), until no pair is known. Immutable: any thread may encode, each with its own WordCache.
#pragma once

#include "rhea/tokenizers/json_view.h"
#include "rhea/tokenizers/pair_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rhea {

// Short words and their ids, most recent in each slot. Text repeats itself: nine of ten words are found here.
class WordCache {
 public:
  WordCache() : entries_(kEntries) {}

  struct Entry {
    std::uint8_t length = 0;  // bytes; 0: free
    std::uint8_t count = 0;   // ids
    std::array<char, 30> word{};
    std::array<std::int32_t, 8> ids{};
  };

  // The slot for a word, or null if the word is too long to be kept.
  Entry* slot(std::string_view word) {
    return word.size() > sizeof(Entry::word) ? nullptr : &entries_[std::hash<std::string_view>()(word) % kEntries];
  }

 private:
  static constexpr std::size_t kEntries = 1 << 15;  // 2 MB
  std::vector<Entry> entries_;
};

class Bpe {
 public:
  // Reads the "model" of a tokenizer.json. Throws Error naming the key that is wrong or not supported.
  explicit Bpe(const JsonView& model);

  // Appends the ids of one piece of text.
  void encode(std::string_view piece, std::vector<std::int32_t>& ids, WordCache& cache) const;

  // The tokens as the file spells them, by id; an empty string where no token has the id.
  const std::vector<std::string>& tokens() const { return tokens_; }
  std::optional<std::int32_t> id_of(std::string_view token) const;

 private:
  void read_vocabulary(const JsonView& vocab);
  void read_merges(const JsonView& merges);
  void find_bytes(const JsonView& model);
  void merge_short(std::string_view piece, std::vector<std::int32_t>& ids) const;
  void merge_long(std::string_view piece, std::vector<std::int32_t>& ids) const;

  std::vector<std::string> tokens_;
  std::unordered_map<std::string_view, std::int32_t> ids_;  // of tokens_
  PairTable merges_{0};
  std::array<std::int32_t, 256> byte_ids_{};  // -1: the vocabulary lacks the byte
  bool ignore_merges_ = false;                // a piece that is itself a token is that token
};

}  // namespace rhea
