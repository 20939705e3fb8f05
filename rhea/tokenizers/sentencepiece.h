#pragma once

#include "rhea/tokenizers/tokenizer_parts.h"

#include <memory>
#include <string>
#include <string_view>

namespace rhea {

// The stages that a SentencePiece .model file describes. Control pieces (<s>, [INST]) are not looked for in text, as there.
// Throws Error naming the file, and what is broken in it or not supported.
std::unique_ptr<TokenizerParts> read_sentencepiece(const std::string& file, std::string_view contents);

}  // namespace rhea
