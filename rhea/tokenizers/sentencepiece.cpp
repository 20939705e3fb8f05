#include "rhea/tokenizers/sentencepiece.h"

#include "rhea/core/error.h"
#include "rhea/tokenizers/sentencepiece_file.h"
#include "rhea/tokenizers/sentencepiece_models.h"
#include "rhea/tokenizers/sentencepiece_normalizer.h"

#include <algorithm>
#include <stdexcept>

namespace rhea {
namespace {

using Type = SentencePieceFile::Type;

Normalizer make_normalizer(const std::string& file, const SentencePieceFile& model) {
  try {
    const auto rules = std::make_shared<const SentencePieceNormalizer>(model);
    return {{[rules](std::string& text) { text = rules->apply(text); }}, /*keeps_ascii=*/false};
  } catch (const std::invalid_argument& error) {
    fail("{}: no SentencePiece model: normalizer_spec.precompiled_charsmap: {}", file, error.what());
  }
}

std::string with_spaces(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool mark = text.substr(at).starts_with(kSpaceMark);
    out += mark ? ' ' : text[at];
    at += mark ? kSpaceMark.size() : 1;
  }
  return out;
}

// The space before the text goes again, or with remove_extra_spaces all spaces there.
Decoder make_decoder(const SentencePieceFile& model) {
  const auto join = [unknown = model.pieces[static_cast<std::size_t>(model.unknown_id)].text, surface = model.unknown_surface,
                     bytes = model.byte_fallback, strips = model.add_space || model.remove_extra_spaces,
                     strips_all = model.remove_extra_spaces](Decoder::Tokens& tokens) {
    std::string text;
    bool at_start = strips;
    for (const std::string& token : tokens) {
      if (const auto byte = bytes ? spelled_byte(token) : std::nullopt) {
        text += *byte;
        at_start = false;
        continue;
      }
      std::string_view left = token;
      if (at_start && left.starts_with(kSpaceMark)) {
        left.remove_prefix(kSpaceMark.size());
        at_start = strips_all;
      }
      at_start = at_start && left.empty();
      text += token == unknown ? surface : with_spaces(left);
    }
    tokens = {std::move(text)};
  };
  return Decoder({join});
}

void add_control_tokens(const SentencePieceFile& model, TokenizerParts& parts) {
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const auto& piece = model.pieces[id];
    if (piece.type != Type::kControl) {
      continue;
    }
    AddedToken token;
    token.content = token.written = piece.text;
    token.id = static_cast<std::int32_t>(id);
    token.special = true;
    if (piece.text == model.bos) {
      parts.bos_id = token.id;
    }
    if (piece.text == model.eos) {
      parts.eos_id = token.id;
    }
    parts.added.push_back(std::move(token));
  }
}

}  // namespace

std::unique_ptr<TokenizerParts> read_sentencepiece(const std::string& file, std::string_view contents) {
  const SentencePieceFile model = read_sentencepiece_file(file, contents);
  auto parts = std::make_unique<TokenizerParts>();
  parts->normalizer = make_normalizer(file, model);
  const bool bpe = model.algorithm == SentencePieceFile::Algorithm::kBpe;
  parts->model = bpe ? make_sentencepiece_bpe(model) : make_sentencepiece_unigram(model);
  if (parts->model->words_stand_alone()) {
    parts->pre_tokenizer.stages.push_back(word_splitter());
  }
  parts->decoder = make_decoder(model);
  add_control_tokens(model, *parts);
  index_added_tokens(*parts);
  return parts;
}

}  // namespace rhea
