#include "rhea/tokenizers/bpe.h"

#include "rhea/core/log.h"
#include "rhea/tokenizers/byte_level.h"

#include <algorithm>
#include <queue>

namespace rhea {
namespace {

constexpr std::int64_t kMaxVocabSize = 1 << 24;  // the largest known vocabularies have 2^18
constexpr std::size_t kShortPiece = 48;          // bytes; up to there looking at all pairs beats a heap

}  // namespace

void Bpe::encode(std::string_view piece, std::vector<std::int32_t>& ids, WordCache& cache) const {
  WordCache::Entry* entry = cache.slot(piece);
  if (entry != nullptr && entry->length == piece.size() && piece == std::string_view(entry->word.data(), entry->length)) {
    ids.insert(ids.end(), entry->ids.begin(), entry->ids.begin() + entry->count);
    return;
  }
  const std::size_t first = ids.size();
  const auto whole = ignore_merges_ ? id_of(spell_bytes(piece)) : std::nullopt;
  if (whole) {
    ids.push_back(*whole);
  } else if (piece.size() <= kShortPiece) {
    merge_short(piece, ids);
  } else {
    merge_long(piece, ids);
  }
  const std::size_t count = ids.size() - first;
  if (entry != nullptr && count <= entry->ids.size()) {
    entry->length = static_cast<std::uint8_t>(piece.size());
    entry->count = static_cast<std::uint8_t>(count);
    std::copy(piece.begin(), piece.end(), entry->word.begin());
    std::copy(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.end(), entry->ids.begin());
  }
}

void Bpe::merge_short(std::string_view piece, std::vector<std::int32_t>& ids) const {
  std::array<std::int32_t, kShortPiece> symbols;
  std::array<PairTable::Merge, kShortPiece> next;  // what symbols i and i + 1 merge into
  constexpr PairTable::Merge kNothing = {INT32_MAX, -1};
  std::size_t count = 0;
  for (const char c : piece) {
    const std::int32_t id = byte_ids_[static_cast<unsigned char>(c)];
    if (id >= 0) {
      symbols[count++] = id;
    }
  }
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

void Bpe::merge_long(std::string_view piece, std::vector<std::int32_t>& ids) const {
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
  symbols.reserve(piece.size());
  for (const char c : piece) {
    const std::int32_t id = byte_ids_[static_cast<unsigned char>(c)];
    const auto i = static_cast<std::int64_t>(symbols.size());
    if (id >= 0) {
      symbols.push_back({id, i - 1, i + 1});
    }
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

std::optional<std::int32_t> Bpe::id_of(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

Bpe::Bpe(const JsonView& model) {
  if (model.has("type") && model["type"].string() != "BPE") {
    model.refuse("\"{}\" is not supported; supported is \"BPE\"", model["type"].string());
  }
  for (const char* name : {"dropout", "unk_token"}) {
    if (model.has(name)) {
      model[name].refuse("is not supported; it must be null");
    }
  }
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (model.has(name) && !model[name].string().empty()) {
      model[name].refuse("\"{}\" is not supported; it must be null or empty", model[name].string());
    }
  }
  if (model.boolean("byte_fallback", false)) {
    model["byte_fallback"].refuse("true is not supported: this is a byte-level tokenizer, which needs none");
  }
  ignore_merges_ = model.boolean("ignore_merges", false);
  read_vocabulary(model["vocab"]);
  read_merges(model["merges"]);
  find_bytes(model["vocab"]);
}

void Bpe::read_vocabulary(const JsonView& vocab) {
  const auto id_from = [&](const simdjson::dom::key_value_pair& entry) {
    std::int64_t id = 0;
    if (entry.value.get(id) || id < 0 || id >= kMaxVocabSize) {
      vocab.refuse("the id of \"{}\" must be an integer from 0 to {}", entry.key, kMaxVocabSize - 1);
    }
    return static_cast<std::size_t>(id);
  };
  std::size_t size = 0;
  for (const auto entry : vocab.object()) {
    size = std::max(size, id_from(entry) + 1);
  }
  tokens_.resize(size);
  for (const auto entry : vocab.object()) {
    std::string& token = tokens_[id_from(entry)];
    if (entry.key.empty() || !token.empty()) {
      vocab.refuse("id {} is \"{}\" and \"{}\"; each id needs one token that is not empty", id_from(entry), token, entry.key);
    }
    token = entry.key;
  }
  ids_.reserve(size);
  for (std::size_t id = 0; id < size; ++id) {
    if (!tokens_[id].empty() && !ids_.emplace(tokens_[id], static_cast<std::int32_t>(id)).second) {
      vocab.refuse("\"{}\" has two ids, {} and {}", tokens_[id], ids_[tokens_[id]], id);
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
    whole.assign(left).append(right);
    const auto left_id = id_of(left), right_id = id_of(right), whole_id = id_of(whole);
    if (!left_id || !right_id || !whole_id) {
      merges.refuse("entry {}: \"{}\" is not in vocab", rank, !left_id ? left : !right_id ? right : whole);
    }
    merges_.insert(*left_id, *right_id, {rank, *whole_id});
    ++rank;
  }
}

void Bpe::find_bytes(const JsonView& vocab) {
  std::string missing;
  int count = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    byte_ids_[byte] = id_of(spell_bytes({&c, 1})).value_or(-1);
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
