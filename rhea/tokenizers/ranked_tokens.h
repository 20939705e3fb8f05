// Byte-level BPE written as a list of tokens by rank, without merges: OpenAI's .tiktoken files (also Llama 3's tokenizer.model
// and Qwen's) and Mistral's tekken.json. Two neighbours merge where both together are a token, that with the lowest rank first.
#pragma once

#include "rhea/tokenizers/json_view.h"
#include "rhea/tokenizers/tokenizer_parts.h"

#include <memory>
#include <string>
#include <string_view>

namespace rhea {

// Whether the contents are lines of base64 and rank.
bool is_rank_file(std::string_view contents);

// The encoding is recognised by the number of tokens, since the file says neither pattern nor special tokens: r50k_base,
// p50k_base, cl100k_base, o200k_base, Llama 3, Qwen. Throws Error naming the file for what is broken or not known.
std::unique_ptr<TokenizerParts> read_rank_file(const std::string& file, std::string_view contents);

// Throws Error naming the key that is wrong or not supported.
bool is_tekken(const JsonView& top);
std::unique_ptr<TokenizerParts> read_tekken(const JsonView& top);

}  // namespace rhea
