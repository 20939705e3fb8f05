// Byte-pair encoding of one piece (Sennrich et al., 2016).
//
// A piece starts as one token a byte, or one a character; of all neighbouring pairs the one that was learned first merges
// (the leftmost of equals), until no pair is known.
#pragma once

#include "rhea/tokenizers/pair_table.h"
#include "rhea/tokenizers/subword_model.h"

namespace rhea {

class Bpe : public SubwordModel {
 public:
  // Reads the "model" of a tokenizer.json. Throws Error naming the key that is wrong or not supported.
  Bpe(const JsonView& model, Alphabet alphabet);
  // Over bytes, spelled as in byte_level.h; a piece that is itself a token is that token. Throws Error naming `file` if a byte
  // has no token.
  Bpe(const std::string& file, Vocabulary vocabulary, PairTable merges);

  bool words_stand_alone() const override { return words_stand_alone_; }

 protected:
  void encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const override;

 private:
  void read_merges(const JsonView& merges);
  void find_bytes();
  void check_bytes(const JsonView& vocab) const;
  void add_symbols(std::string_view piece, std::vector<std::int32_t>& symbols) const;
  bool add_bytes(std::string_view text, std::vector<std::int32_t>& symbols) const;

  Alphabet alphabet_;
  PairTable merges_{0};
  std::vector<std::int32_t> byte_ids_;  // of bytes, or of "<0x..>" with byte_fallback; -1: the vocabulary lacks it
  std::string subword_prefix_, word_suffix_;
  std::int32_t unknown_id_ = -1;
  bool fuse_unknown_ = false;
  bool byte_fallback_ = false;
  bool words_stand_alone_ = false;
  bool ignore_merges_ = false;  // a piece that is itself a token is that token
};

}  // namespace rhea
