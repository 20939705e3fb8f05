// WordPiece (Schuster and Nakajima, 2012; as BERT has it): the longest token at the begin of a word, then the longest at
// the begin of the rest, which is looked up with a prefix ("##"). A word that does not come out is unknown as a whole.
#pragma once

#include "rhea/tokenizers/subword_model.h"

namespace rhea {

class WordPiece : public SubwordModel {
 public:
  explicit WordPiece(const JsonView& model);

 protected:
  void encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const override;

 private:
  // Whether the whole piece came out.
  bool add_tokens(std::string_view piece, std::vector<std::int32_t>& ids) const;

  std::string prefix_;
  std::int64_t longest_word_;  // in characters
  std::int32_t unknown_id_;
};

}  // namespace rhea
