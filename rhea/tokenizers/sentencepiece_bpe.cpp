// BPE as SentencePiece has it (sentencepiece/src/bpe_model.cc): no list of merges; two neighbours merge where a piece is both
// of them, the piece with the highest score first.
#include "rhea/tokenizers/byte_trie.h"
#include "rhea/tokenizers/merge_pairs.h"
#include "rhea/tokenizers/sentencepiece_models.h"
#include "rhea/tokenizers/unicode.h"
#include "rhea/tokenizers/unknown_text.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace rhea {
namespace {

using Type = SentencePieceFile::Type;

// What merging works with: the pieces by their ids, then the characters of pieces that are none themselves.
class Symbols {
 public:
  explicit Symbols(const SentencePieceFile& model) : pieces_(static_cast<std::int32_t>(model.pieces.size())) {
    for (std::int32_t id = 0; id < pieces_; ++id) {
      if (model.pieces[static_cast<std::size_t>(id)].type == Type::kNormal) {
        add(model.pieces[static_cast<std::size_t>(id)].text, id);
      }
    }
    for (const auto& piece : model.pieces) {
      for_each_character(piece.type == Type::kNormal ? std::string_view(piece.text) : "", [&](const Character& character) {
        if (!find(character.bytes)) {
          add(std::string(character.bytes), static_cast<std::int32_t>(pieces_ + loose_++));
        }
      });
    }
  }

  std::optional<std::int32_t> find(std::string_view text) const {
    const auto found = ids_.find(std::string(text));
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }

  std::int32_t foreign() const { return pieces_ + loose_; }    // any character that no piece contains
  std::int32_t first_frozen() const { return foreign() + 1; }  // + id: a user-defined piece, which never merges

 private:
  void add(std::string text, std::int32_t id) { ids_.emplace(std::move(text), id); }

  std::int32_t pieces_, loose_ = 0;
  std::unordered_map<std::string, std::int32_t> ids_;
};

// The place of each score among all scores, the highest first; equal scores have equal places.
std::vector<std::int32_t> ranks_of(const SentencePieceFile& model) {
  std::vector<float> scores;
  for (const auto& piece : model.pieces) {
    scores.push_back(piece.score);
  }
  std::sort(scores.begin(), scores.end(), std::greater<>());
  scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
  std::vector<std::int32_t> ranks;
  for (const auto& piece : model.pieces) {
    const auto place = std::lower_bound(scores.begin(), scores.end(), piece.score, std::greater<>());
    ranks.push_back(static_cast<std::int32_t>(place - scores.begin()));
  }
  return ranks;
}

PairTable make_merges(const SentencePieceFile& model, const Symbols& symbols) {
  struct Pair {
    std::int32_t left, right;
    PairTable::Merge merge;
  };
  const std::vector<std::int32_t> ranks = ranks_of(model);
  std::vector<Pair> pairs;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const std::string_view text = model.pieces[id].text;
    for (std::size_t cut = 1; model.pieces[id].type == Type::kNormal && cut < text.size(); ++cut) {
      if ((static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) {
        continue;  // inside a character
      }
      const auto left = symbols.find(text.substr(0, cut)), right = symbols.find(text.substr(cut));
      if (left && right) {
        pairs.push_back({*left, *right, {ranks[id], static_cast<std::int32_t>(id)}});
      }
    }
  }
  PairTable merges(pairs.size());
  for (const Pair& pair : pairs) {
    merges.insert(pair.left, pair.right, pair.merge);
  }
  return merges;
}

class SentencePieceBpe : public SubwordModel {
 public:
  explicit SentencePieceBpe(const SentencePieceFile& model)
      : SubwordModel(Vocabulary(texts_of(model))),
        symbols_(model),
        merges_(make_merges(model, symbols_)),
        unknown_(model, vocabulary()) {
    words_stand_alone_ = vocabulary().id_of(kSpaceMark).has_value();
    for (std::size_t id = 0; id < model.pieces.size(); ++id) {
      const bool is_text = model.pieces[id].type == Type::kNormal || model.pieces[id].type == Type::kUserDefined;
      words_stand_alone_ = words_stand_alone_ && !(is_text && holds_inner_mark(model.pieces[id].text));
      if (model.pieces[id].type == Type::kUserDefined) {
        user_defined_.insert(model.pieces[id].text, static_cast<std::int32_t>(id));
      }
    }
  }

  bool words_stand_alone() const override { return words_stand_alone_; }

 protected:
  void encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const override {
    std::vector<std::int32_t> symbols = first_symbols(piece), merged;
    merge_pairs(merges_, symbols, merged);
    const std::size_t first = ids.size();
    const auto& tokens = vocabulary().tokens();
    for (const std::int32_t symbol : merged) {
      const std::int32_t id = symbol >= symbols_.first_frozen() ? symbol - symbols_.first_frozen() : symbol;
      const bool known = static_cast<std::size_t>(id) < tokens.size();
      const std::size_t length = known ? tokens[static_cast<std::size_t>(id)].size() : first_character(piece).bytes.size();
      if (known) {
        ids.push_back(id);
      } else {
        unknown_.append(piece.substr(0, length), first, ids);
      }
      piece.remove_prefix(length);
    }
  }

 private:
  std::vector<std::int32_t> first_symbols(std::string_view piece) const {
    std::vector<std::int32_t> symbols;
    while (!piece.empty()) {
      std::size_t length = 0;
      std::int32_t symbol = 0;
      user_defined_.for_each_prefix(piece, [&](std::size_t found, std::int32_t id) {
        length = found;
        symbol = symbols_.first_frozen() + id;
      });
      if (length == 0) {
        length = first_character(piece).bytes.size();
        symbol = symbols_.find(piece.substr(0, length)).value_or(symbols_.foreign());
      }
      symbols.push_back(symbol);
      piece.remove_prefix(length);
    }
    return symbols;
  }

  Symbols symbols_;
  PairTable merges_;
  ByteTrie user_defined_;
  bool words_stand_alone_ = false;
  UnknownText unknown_;
};

}  // namespace

std::unique_ptr<const SubwordModel> make_sentencepiece_bpe(const SentencePieceFile& model) {
  return std::make_unique<SentencePieceBpe>(model);
}

}  // namespace rhea
