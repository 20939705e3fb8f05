#include "rhea/tokenizers/bpe.h"

#include "rhea/core/log.h"
#include "rhea/tokenizers/byte_level.h"
#include "rhea/tokenizers/unicode.h"

#include <algorithm>
#include <queue>

namespace rhea {
namespace {

constexpr std::size_t kShortPiece = 48;  // symbols; up to there looking at all pairs beats a heap

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
    find_bytes(model["vocab"]);
  } else if (byte_fallback_) {
    byte_ids_ = find_byte_tokens(vocabulary());
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
  if (symbols.size() <= kShortPiece) {
    merge_short(symbols, ids);
  } else {
    merge_long(symbols, ids);
  }
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

void Bpe::merge_short(std::span<std::int32_t> symbols, std::vector<std::int32_t>& ids) const {
  std::array<PairTable::Merge, kShortPiece> next;  // what symbols i and i + 1 merge into
  constexpr PairTable::Merge kNothing = {INT32_MAX, -1};
  std::size_t count = symbols.size();
  const auto look_up = [&](std::size_t i) {
    const PairTable::Merge* merge = i + 1 < count ? merges_.find(symbols[i], symbols[i + 1]) : nullptr;
    next[i] = merge != nullptr ? *merge : kNothing;
  };
  for (std::size_t i = 0; i < count; ++i) {
    look_up(i);
  }
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (next[i].rank < next[best].rank) {
        best = i;
      }
    }
    if (next[best].token < 0) {
      break;
    }
    symbols[best] = next[best].token;
    std::copy(symbols.begin() + best + 2, symbols.begin() + count, symbols.begin() + best + 1);
    std::copy(next.begin() + best + 2, next.begin() + count, next.begin() + best + 1);
    --count;
    look_up(best);
    if (best > 0) {
      look_up(best - 1);
    }
  }
  ids.insert(ids.end(), symbols.begin(), symbols.begin() + count);
}

void Bpe::merge_long(std::span<const std::int32_t> start, std::vector<std::int32_t>& ids) const {
  struct Symbol {
    std::int32_t id;  // -1: merged into its left neighbour
    std::int64_t previous, next;
  };
  struct Candidate {
    std::int32_t rank, token;
    std::int64_t at;
    std::int32_t left, right;  // the ids at the time: a candidate is stale when they have changed
    bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
  };
  std::vector<Symbol> symbols;
  symbols.reserve(start.size());
  for (const std::int32_t id : start) {
    const auto i = static_cast<std::int64_t>(symbols.size());
    symbols.push_back({id, i - 1, i + 1});
  }
  const auto count = static_cast<std::int64_t>(symbols.size());
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](std::int64_t at) {
    if (at < 0 || symbols[at].next >= count) {
      return;
    }
    const std::int32_t left = symbols[at].id, right = symbols[symbols[at].next].id;
    if (const PairTable::Merge* merge = merges_.find(left, right)) {
      candidates.push({merge->rank, merge->token, at, left, right});
    }
  };
  for (std::int64_t i = 0; i < count; ++i) {
    consider(i);
  }
  while (!candidates.empty()) {
    const Candidate top = candidates.top();
    candidates.pop();
    Symbol& left = symbols[top.at];
    if (left.id != top.left || left.next >= count || symbols[left.next].id != top.right) {
      continue;
    }
    Symbol& right = symbols[left.next];
    left.id = top.token;
    right.id = -1;
    left.next = right.next;
    if (left.next < count) {
      symbols[left.next].previous = top.at;
    }
    consider(left.previous);
    consider(top.at);
  }
  for (const Symbol& symbol : symbols) {
    if (symbol.id >= 0) {
      ids.push_back(symbol.id);
    }
  }
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
  std::int32_t rank = 0;
  std::string whole;
  for (const auto& [left, right] : pairs) {
    whole.assign(left).append(right.substr(std::min(right.size(), subword_prefix_.size())));
    const auto left_id = vocabulary().id_of(left), right_id = vocabulary().id_of(right), whole_id = vocabulary().id_of(whole);
    if (!left_id || !right_id || !whole_id) {
      merges.refuse("entry {}: \"{}\" is not in vocab", rank, !left_id ? left : !right_id ? right : whole);
    }
    merges_.insert(*left_id, *right_id, {rank, *whole_id});
    ++rank;
  }
}

void Bpe::find_bytes(const JsonView& vocab) {
  byte_ids_.resize(256);
  std::string missing;
  int count = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    byte_ids_[byte] = vocabulary().id_of(spell_bytes({&c, 1})).value_or(-1);
    if (byte_ids_[byte] < 0 && ++count <= 4) {
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
