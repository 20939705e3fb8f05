// What turns one piece of text into ids: the "model" of a tokenizer.json.
//
// Immutable: any thread may encode, each with its own WordCache.
#pragma once

#include "rhea/tokenizers/vocabulary.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace rhea {

inline constexpr std::string_view kSpaceMark = "\xe2\x96\x81";  // U+2581, what SentencePiece writes for a space

// Whether a token has a mark behind something else: "▁of▁the", "the▁".
bool holds_inner_mark(std::string_view token);

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

class SubwordModel {
 public:
  explicit SubwordModel(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~SubwordModel() = default;
  SubwordModel(const SubwordModel&) = delete;
  SubwordModel& operator=(const SubwordModel&) = delete;

  // Appends the ids of a piece (not empty).
  void encode(std::string_view piece, std::vector<std::int32_t>& ids, WordCache& cache) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }

  // Whether no token reaches over the place before a run of kSpaceMark: cutting a piece there changes nothing.
  virtual bool words_stand_alone() const { return false; }

 protected:
  virtual void encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const = 0;

 private:
  Vocabulary vocabulary_;
};

// What the pieces are made of: bytes, where BPE stands behind a byte-level stage (which spells them in Hugging Face's
// library; here that step is left out), else characters.
enum class Alphabet { kBytes, kCharacters };

// "BPE", "WordPiece", "WordLevel" or "Unigram", or what else the file says.
std::string_view subword_model_type(const JsonView& model);

// Reads the "model" of a tokenizer.json. Throws Error naming the key that is wrong or not supported.
std::unique_ptr<const SubwordModel> read_subword_model(const JsonView& model, Alphabet alphabet);

// The id of the token that stands for what is unknown, or -1 without one. Throws Error if the vocabulary lacks it.
std::int32_t read_unknown_token(const JsonView& model, const Vocabulary& vocabulary);

}  // namespace rhea
