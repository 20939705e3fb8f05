#include "rhea/tokenizers/sentencepiece_normalizer.h"

#include "rhea/tokenizers/subword_model.h"
#include "rhea/tokenizers/unicode.h"

namespace rhea {

SentencePieceNormalizer::SentencePieceNormalizer(const SentencePieceFile& model)
    : add_space_before_(model.add_space && !model.spaces_at_end),
      add_space_behind_(model.add_space && model.spaces_at_end),
      remove_extra_spaces_(model.remove_extra_spaces),
      space_(model.mark_spaces ? kSpaceMark : " ") {
  if (!model.character_map.empty()) {
    characters_.emplace(model.character_map);
  }
  for (const auto& piece : model.pieces) {
    if (piece.type == SentencePieceFile::Type::kUserDefined) {
      user_defined_.insert(piece.text, 0);
    }
  }
}

SentencePieceNormalizer::Step SentencePieceNormalizer::first_step(std::string_view text) const {
  std::size_t user_defined = 0;
  user_defined_.for_each_prefix(text, [&](std::size_t length, std::int32_t) { user_defined = length; });
  if (user_defined > 0) {
    return {text.substr(0, user_defined), user_defined};
  }
  if (characters_) {
    if (const auto rule = characters_->longest_rule(text)) {
      return {rule->replacement, rule->length};
    }
  }
  const Character character = first_character(text);
  return {character.code < 0 ? "\xEF\xBF\xBD" : character.bytes, character.bytes.size()};
}

std::string SentencePieceNormalizer::apply(std::string_view text) const {
  std::string out;
  while (remove_extra_spaces_ && !text.empty()) {
    const Step step = first_step(text);
    if (step.written != " ") {
      break;
    }
    text.remove_prefix(step.length);
  }
  if (text.empty()) {
    return out;
  }
  out.reserve(text.size() + text.size() / 4);
  if (add_space_before_) {
    out += space_;
  }
  bool after_space = remove_extra_spaces_;
  while (!text.empty()) {
    Step step = first_step(text);
    text.remove_prefix(step.length);
    while (after_space && step.written.starts_with(' ')) {
      step.written.remove_prefix(1);
    }
    if (step.written.empty()) {
      continue;
    }
    for (const char c : step.written) {
      out.append(c == ' ' ? space_ : std::string_view(&c, 1));
    }
    after_space = remove_extra_spaces_ && step.written.ends_with(' ');
  }
  while (remove_extra_spaces_ && out.ends_with(space_)) {
    out.resize(out.size() - space_.size());
  }
  if (add_space_behind_) {
    out += space_;
  }
  return out;
}

}  // namespace rhea
