#include "rhea/tokenizers/tokenizer_parts.h"

#include <algorithm>

namespace rhea {

void index_added_tokens(TokenizerParts& parts) {
  parts.vocab_size = static_cast<std::int64_t>(parts.model->vocabulary().tokens().size());
  for (const AddedToken& token : parts.added) {
    parts.vocab_size = std::max(parts.vocab_size, std::int64_t{token.id} + 1);
  }
  parts.added_by_id.assign(static_cast<std::size_t>(parts.vocab_size), -1);
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    parts.added_by_id[static_cast<std::size_t>(parts.added[i].id)] = static_cast<std::int32_t>(i);
  }
}

}  // namespace rhea
