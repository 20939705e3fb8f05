#include "rhea/tokenizers/word_piece.h"

#include "rhea/tokenizers/unicode.h"

namespace rhea {

WordPiece::WordPiece(const JsonView& model)
    : SubwordModel(Vocabulary::read_map(model["vocab"])),
      prefix_(model.has("continuing_subword_prefix") ? model["continuing_subword_prefix"].string() : "##"),
      longest_word_(model.has("max_input_chars_per_word") ? model["max_input_chars_per_word"].integer(0, INT32_MAX) : 100),
      unknown_id_(read_unknown_token(model, vocabulary())) {
  if (unknown_id_ < 0) {
    model.refuse("\"unk_token\" is missing");
  }
}

void WordPiece::encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const {
  const std::size_t first = ids.size();
  if (static_cast<std::int64_t>(count_characters(piece)) > longest_word_ || !add_tokens(piece, ids)) {
    ids.resize(first);
    ids.push_back(unknown_id_);
  }
}

bool WordPiece::add_tokens(std::string_view piece, std::vector<std::int32_t>& ids) const {
  std::string candidate;
  for (std::size_t begin = 0; begin < piece.size();) {
    candidate.assign(begin > 0 ? prefix_ : "").append(piece.substr(begin));
    const std::size_t shortest = candidate.size() - (piece.size() - begin);
    std::optional<std::int32_t> id;
    while (candidate.size() > shortest && !(id = vocabulary().id_of(candidate))) {
      do {  // drop a character
        candidate.pop_back();
      } while (candidate.size() > shortest &&
               (static_cast<unsigned char>(piece[begin + candidate.size() - shortest]) & 0xC0) == 0x80);
    }
    if (!id) {
      return false;
    }
    ids.push_back(*id);
    begin += candidate.size() - shortest;
  }
  return true;
}

}  // namespace rhea
