#include "rhea/tokenizers/subword_model.h"

#include "rhea/tokenizers/bpe.h"
#include "rhea/tokenizers/unigram.h"
#include "rhea/tokenizers/word_level.h"
#include "rhea/tokenizers/word_piece.h"

#include <algorithm>

namespace rhea {

bool holds_inner_mark(std::string_view token) {
  while (token.starts_with(kSpaceMark)) {
    token.remove_prefix(kSpaceMark.size());
  }
  return token.find(kSpaceMark) != std::string_view::npos;
}

void SubwordModel::encode(std::string_view piece, std::vector<std::int32_t>& ids, WordCache& cache) const {
  WordCache::Entry* entry = cache.slot(piece);
  if (entry != nullptr && entry->length == piece.size() && piece == std::string_view(entry->word.data(), entry->length)) {
    ids.insert(ids.end(), entry->ids.begin(), entry->ids.begin() + entry->count);
    return;
  }
  const std::size_t first = ids.size();
  encode_uncached(piece, ids);
  const std::size_t count = ids.size() - first;
  if (entry != nullptr && count <= entry->ids.size()) {
    entry->length = static_cast<std::uint8_t>(piece.size());
    entry->count = static_cast<std::uint8_t>(count);
    std::copy(piece.begin(), piece.end(), entry->word.begin());
    std::copy(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.end(), entry->ids.begin());
  }
}

// Old files do not name the type; then it shows in the keys, as in Hugging Face's library.
std::string_view subword_model_type(const JsonView& model) {
  if (model.has("type")) {
    return model["type"].string();
  }
  if (model.has("merges")) {
    return "BPE";
  }
  if (model.has("continuing_subword_prefix") || model.has("max_input_chars_per_word")) {
    return "WordPiece";
  }
  model.refuse("\"type\" is missing");
}

std::unique_ptr<const SubwordModel> read_subword_model(const JsonView& model, Alphabet alphabet) {
  const std::string_view type = subword_model_type(model);
  if (type == "BPE") {
    return std::make_unique<Bpe>(model, alphabet);
  }
  if (type == "WordPiece") {
    return std::make_unique<WordPiece>(model);
  }
  if (type == "WordLevel") {
    return std::make_unique<WordLevel>(model);
  }
  if (type == "Unigram") {
    return std::make_unique<Unigram>(model);
  }
  model.refuse("\"{}\" is not supported; supported are \"BPE\", \"WordPiece\", \"WordLevel\" and \"Unigram\"", type);
}

std::int32_t read_unknown_token(const JsonView& model, const Vocabulary& vocabulary) {
  if (!model.has("unk_token")) {
    return -1;
  }
  const JsonView token = model["unk_token"];
  const auto id = vocabulary.id_of(token.string());
  if (!id) {
    token.refuse("\"{}\" is not in vocab", token.string());
  }
  return *id;
}

}  // namespace rhea
