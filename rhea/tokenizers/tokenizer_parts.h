// The stages of a Tokenizer, in the order in which text passes them.
#pragma once

#include "rhea/tokenizers/added_tokens.h"
#include "rhea/tokenizers/decoder.h"
#include "rhea/tokenizers/normalizer.h"
#include "rhea/tokenizers/post_processor.h"
#include "rhea/tokenizers/pre_tokenizer.h"
#include "rhea/tokenizers/subword_model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace rhea {

struct TokenizerParts {
  AddedTokenFinder raw_tokens;                // 1. in the text as it came
  Normalizer normalizer;                      // 2. of what is between them
  AddedTokenFinder normalized_tokens;         // 3. in the normalised text
  PreTokenizer pre_tokenizer;                 // 4. into pieces
  std::unique_ptr<const SubwordModel> model;  // 5. of each piece
  PostProcessor post_processor;               // 6. around all ids, where asked for
  Decoder decoder{{}};                        // the way back

  std::vector<AddedToken> added;
  std::vector<std::int32_t> added_by_id;  // index into `added` for each id; -1: the id is the model's
  std::int64_t vocab_size = 0;
  std::optional<std::int32_t> bos_id, eos_id;
  std::uint64_t hash = 0;
};

// Sets vocab_size and added_by_id from the model and `added`.
void index_added_tokens(TokenizerParts& parts);

}  // namespace rhea
