// The stages of a Tokenizer, in the order in which text passes them.
#pragma once

#include "rhea/tokenizers/added_tokens.h"
#include "rhea/tokenizers/bpe.h"
#include "rhea/tokenizers/json_view.h"
#include "rhea/tokenizers/normalizer.h"
#include "rhea/tokenizers/pre_tokenizer.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace rhea {

struct TokenizerParts {
  AddedTokenFinder raw_tokens;         // 1. in the text as it came
  Normalizer normalizer;               // 2. of what is between them
  AddedTokenFinder normalized_tokens;  // 3. in the normalised text
  PreTokenizer pre_tokenizer;          // 4. into pieces
  Bpe model;                           // 5. of each piece

  std::vector<AddedToken> added;
  std::unordered_map<std::int32_t, std::size_t> added_by_id;  // index into `added`
  std::int64_t vocab_size = 0;
  std::optional<std::int32_t> bos_id, eos_id;
  std::uint64_t hash = 0;
};

// Each reads its stage of a tokenizer.json and throws Error naming what is wrong or not supported.
Normalizer read_normalizer(const JsonView& top);
PreTokenizer read_pre_tokenizer(const JsonView& top);
std::vector<AddedToken> read_added_tokens(const JsonView& top, const Bpe& model);
void check_decoder(const JsonView& top);

}  // namespace rhea
