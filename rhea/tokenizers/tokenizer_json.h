#pragma once

#include "rhea/tokenizers/json_view.h"
#include "rhea/tokenizers/tokenizer_parts.h"

#include <memory>

namespace rhea {

// The stages that a Hugging Face tokenizer.json describes. Throws Error naming the key that is wrong or not supported.
std::unique_ptr<TokenizerParts> read_tokenizer_json(const JsonView& top);

}  // namespace rhea
