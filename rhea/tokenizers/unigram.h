// Unigram (Kudo, 2018; as SentencePiece has it): of all ways to cut a piece into tokens the one with the largest sum of
// scores, found by dynamic programming (Viterbi).
#pragma once

#include "rhea/tokenizers/byte_trie.h"
#include "rhea/tokenizers/subword_model.h"

namespace rhea {

struct ScoredToken {
  std::string text;
  double score = 0;
};

class Unigram : public SubwordModel {
 public:
  explicit Unigram(const JsonView& model);
  // unknown_id < 0: without one; a text that needs it is then refused.
  Unigram(std::vector<ScoredToken> tokens, std::int32_t unknown_id, bool byte_fallback);

 protected:
  void encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const override;

 private:
  std::vector<std::string_view> best_cut(std::string_view piece) const;

  std::vector<double> scores_;  // by id
  ByteTrie trie_;
  double unknown_score_ = 0;
  std::int32_t unknown_id_ = -1;
  std::vector<std::int32_t> byte_ids_;  // of "<0x..>"; empty without byte_fallback
};

}  // namespace rhea
