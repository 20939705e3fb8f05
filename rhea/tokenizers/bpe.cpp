#include "rhea/tokenizers/bpe.h"

#include "rhea/core/log.h"
#include "rhea/tokenizers/byte_level.h"
#include "rhea/tokenizers/merge_pairs.h"
#include "rhea/tokenizers/unicode.h"

#include <algorithm>

namespace rhea {
namespace {

std::string text_or_empty(const JsonView& model, std::string_view name) {
  return model.has(name) ? std::string(model[name].string()) : std::string();
}

}  // namespace

Bpe::Bpe(const JsonView& model, Alphabet alphabet) : SubwordModel(Vocabulary::read_map(model["vocab"])), alphabet_(alphabet) {
  if (model.has("dropout") && model["dropout"].number() != 0) {
    model["dropout"].refuse("is not supported; it must be null: the same text always gives the same ids");
  }
  subword_prefix_ = text_or_empty(model, "continuing_subword_prefix");
  word_suffix_ = text_or_empty(model, "end_of_word_suffix");
  ignore_merges_ = model.boolean("ignore_merges", false);
  byte_fallback_ = model.boolean("byte_fallback", false);
  fuse_unknown_ = model.boolean("fuse_unk", false);
  unknown_id_ = read_unknown_token(model, vocabulary());
  if (alphabet_ == Alphabet::kBytes && (!subword_prefix_.empty() || !word_suffix_.empty())) {
    model.refuse("continuing_subword_prefix and end_of_word_suffix are not supported behind \"ByteLevel\"");
  }
  read_merges(model["merges"]);
  if (alphabet_ == Alphabet::kBytes) {
    find_bytes();
    check_bytes(model["vocab"]);
  } else if (byte_fallback_) {
    byte_ids_ = find_byte_tokens(vocabulary());
  }
}

Bpe::Bpe(const std::string& file, Vocabulary vocabulary, PairTable merges)
    : SubwordModel(std::move(vocabulary)), alphabet_(Alphabet::kBytes), merges_(std::move(merges)), ignore_merges_(true) {
  find_bytes();
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    if (byte_ids_[byte] < 0) {
      fail("{}: the byte 0x{:02x} has no token", file, byte);
    }
  }
}

void Bpe::encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const {
  if (ignore_merges_) {
    const auto whole = vocabulary().id_of(alphabet_ == Alphabet::kBytes ? spell_bytes(piece) : std::string(piece));
    if (whole) {
      ids.push_back(*whole);
      return;
    }
  }
  std::vector<std::int32_t> symbols;
  symbols.reserve(piece.size());
  add_symbols(piece, symbols);
  merge_pairs(merges_, symbols, ids);
}

// A byte that the vocabulary lacks is dropped, as Hugging Face does without unk_token.
void Bpe::add_symbols(std::string_view piece, std::vector<std::int32_t>& symbols) const {
  if (alphabet_ == Alphabet::kBytes && unknown_id_ < 0) {
    for (const char c : piece) {
      const std::int32_t id = byte_ids_[static_cast<unsigned char>(c)];
      if (id >= 0) {
        symbols.push_back(id);
      }
    }
    return;
  }
  std::string text;
  bool unknown = false;  // one is held back: more may fuse with it
  for (std::string_view left = piece; !left.empty();) {
    const std::size_t length = alphabet_ == Alphabet::kBytes ? 1 : first_character(left).bytes.size();
    text.assign(left.data() == piece.data() ? "" : subword_prefix_).append(left.substr(0, length));
    left.remove_prefix(length);
    text += left.empty() ? word_suffix_ : "";
    const auto id = alphabet_ == Alphabet::kBytes ? vocabulary().id_of(spell_bytes(text)) : vocabulary().id_of(text);
    if (!id && byte_fallback_ && add_bytes(text, symbols)) {
      continue;
    }
    if (unknown && (id || !fuse_unknown_)) {
      symbols.push_back(unknown_id_);
      unknown = false;
    }
    if (id) {
      symbols.push_back(*id);
    } else {
      unknown = unknown_id_ >= 0;
    }
  }
  if (unknown) {
    symbols.push_back(unknown_id_);
  }
}

bool Bpe::add_bytes(std::string_view text, std::vector<std::int32_t>& symbols) const {
  const auto lacks = [&](char c) { return byte_ids_[static_cast<unsigned char>(c)] < 0; };
  if (byte_ids_.empty() || std::any_of(text.begin(), text.end(), lacks)) {
    return false;
  }
  for (const char c : text) {
    symbols.push_back(byte_ids_[static_cast<unsigned char>(c)]);
  }
  return true;
}

void Bpe::read_merges(const JsonView& merges) {
  const simdjson::dom::array list = merges.array();
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  for (const simdjson::dom::element item : list) {
    std::string_view text, left, right;
    if (!item.get(text)) {  // "a b"
      const std::size_t space = text.find(' ');
      if (space == std::string_view::npos) {
        merges.refuse("entry {} (\"{}\") must be two tokens with a space between", pairs.size(), text);
      }
      pairs.emplace_back(text.substr(0, space), text.substr(space + 1));
    } else if (!item.at(0).get(left) && !item.at(1).get(right) && item.at(2).error()) {  // ["a", "b"]
      pairs.emplace_back(left, right);
    } else {
      merges.refuse("entry {} must be \"left right\" or [\"left\", \"right\"]", pairs.size());
    }
  }
  merges_ = PairTable(pairs.size());
  words_stand_alone_ = alphabet_ == Alphabet::kCharacters && !ignore_merges_ && subword_prefix_.empty() && word_suffix_.empty() &&
                       vocabulary().id_of(kSpaceMark).has_value();
  std::int32_t rank = 0;
  std::string whole;
  for (const auto& [left, right] : pairs) {
    whole.assign(left).append(right.substr(std::min(right.size(), subword_prefix_.size())));
    const auto left_id = vocabulary().id_of(left), right_id = vocabulary().id_of(right), whole_id = vocabulary().id_of(whole);
    if (!left_id || !right_id || !whole_id) {
      merges.refuse("entry {}: \"{}\" is not in vocab", rank, !left_id ? left : !right_id ? right : whole);
    }
    merges_.insert(*left_id, *right_id, {rank, *whole_id});
    words_stand_alone_ = words_stand_alone_ && !holds_inner_mark(whole);
    ++rank;
  }
}

void Bpe::find_bytes() {
  byte_ids_.resize(256);
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    byte_ids_[static_cast<std::size_t>(byte)] = vocabulary().id_of(spell_bytes({&c, 1})).value_or(-1);
  }
}

void Bpe::check_bytes(const JsonView& vocab) const {
  std::string missing;
  int count = 0;
  for (int byte = 0; byte < 256; ++byte) {
    if (byte_ids_[static_cast<std::size_t>(byte)] < 0 && ++count <= 4) {
      missing += fmt::format(" 0x{:02x}", byte);
    }
  }
  if (count == 256) {
    vocab.refuse("no byte has a token: this is no byte-level vocabulary");
  }
  if (count > 0) {
    log_warning("{}: {}: {} of 256 bytes have no token ({} ...) and will be dropped from text, as Hugging Face does",
                vocab.file(), vocab.key(), count, missing.substr(1));
  }
}

}  // namespace rhea
