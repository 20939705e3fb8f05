// Which tokens begin and end a document.
#pragma once

#include "rhea/tokenizers/tokenizer_parts.h"

#include <filesystem>

namespace rhea {

// Sets parts.bos_id and eos_id: to what the tokenizer_config.json names, if there is one; else, where they are not set, to
// the token with a usual name (<|begin_of_text|>, <s>, <|endoftext|>, ...). Throws Error for a name that no token has.
void find_bos_and_eos(TokenizerParts& parts, const std::filesystem::path& config_path);

}  // namespace rhea
