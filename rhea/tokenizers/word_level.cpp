#include "rhea/tokenizers/word_level.h"

namespace rhea {

WordLevel::WordLevel(const JsonView& model)
    : SubwordModel(Vocabulary::read_map(model["vocab"])),
      unknown_id_(vocabulary().id_of(model.has("unk_token") ? model["unk_token"].string() : "").value_or(-1)) {}

void WordLevel::encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const {
  const auto id = vocabulary().id_of(piece);
  if (!id && unknown_id_ < 0) {
    fail("the tokenizer has no token for {:?} and no token for what is unknown", piece);
  }
  ids.push_back(id.value_or(unknown_id_));
}

}  // namespace rhea
