// Unigram as SentencePiece has it (sentencepiece/src/unigram_model.cc, EncodeOptimized). Scores are summed in float over the
// whole text, as there: where two cuts are as good as equal, rounding decides, and the ids must be the library's.
#include "rhea/tokenizers/byte_trie.h"
#include "rhea/tokenizers/sentencepiece_models.h"
#include "rhea/tokenizers/unicode.h"
#include "rhea/tokenizers/unknown_text.h"

#include <algorithm>
#include <limits>
#include <span>

namespace rhea {
namespace {

using Type = SentencePieceFile::Type;

constexpr float kLowestScore = -100000;  // from there on sums begin anew
constexpr float kUnknownPenalty = 10;    // below the least likely piece

// Of a user-defined piece, whatever the file says: above the score of all others, and the longer the better.
float user_defined_score(std::string_view text) {
  constexpr float kPerByte = 0.1F;
  return kPerByte * static_cast<float>(text.size()) - kPerByte;
}

class SentencePieceUnigram : public SubwordModel {
 public:
  explicit SentencePieceUnigram(const SentencePieceFile& model)
      : SubwordModel(Vocabulary(texts_of(model))), unknown_id_(model.unknown_id), unknown_(model, vocabulary()) {
    float least = std::numeric_limits<float>::max();
    for (const auto& piece : model.pieces) {
      if (piece.type == Type::kNormal) {
        least = std::min(least, piece.score);
      }
    }
    unknown_score_ = least - kUnknownPenalty;
    for (std::size_t id = 0; id < model.pieces.size(); ++id) {
      const auto& piece = model.pieces[id];
      scores_.push_back(piece.type == Type::kUserDefined ? user_defined_score(piece.text) : piece.score);
      if (piece.type == Type::kNormal || piece.type == Type::kUserDefined) {
        trie_.insert(piece.text, static_cast<std::int32_t>(id));
        longest_ = std::max(longest_, piece.text.size());
      }
    }
  }

 protected:
  void encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const override {
    const std::size_t first = ids.size();
    for (const Cut& cut : best_cuts(piece)) {
      if (cut.id == unknown_id_) {
        unknown_.append(piece.substr(cut.from, cut.to - cut.from), first, ids);
      } else {
        ids.push_back(cut.id);
      }
    }
  }

 private:
  struct Cut {
    std::size_t from, to;
    std::int32_t id;
  };

  struct Node {  // the best way to a place in the text
    std::int64_t from = -1;
    float score = 0;
    std::int32_t id = -1;
  };

  std::vector<Cut> best_cuts(std::string_view text) const {
    std::vector<Node> nodes(text.size() + 1);
    for (std::size_t begin = 0; begin < text.size();) {
      if (nodes[begin].score < kLowestScore) {
        raise(std::span(nodes).subspan(begin));
      }
      const std::size_t character = first_character(text.substr(begin)).bytes.size();
      const float so_far = nodes[begin].score;
      const auto offer = [&](std::size_t length, float score, std::int32_t id) {
        Node& node = nodes[begin + length];
        if (node.from < 0 || score > node.score) {
          node = {static_cast<std::int64_t>(begin), score, id};
        }
      };
      bool known = false;
      trie_.for_each_prefix(text.substr(begin), [&](std::size_t length, std::int32_t id) {
        offer(length, scores_[static_cast<std::size_t>(id)] + so_far, id);
        known |= length == character;
      });
      if (!known) {
        offer(character, unknown_score_ + so_far, unknown_id_);
      }
      begin += character;
    }
    std::vector<Cut> cuts;
    for (std::size_t end = text.size(); end > 0;) {
      const auto from = static_cast<std::size_t>(nodes[end].from);
      cuts.push_back({from, end, nodes[end].id});
      end = from;
    }
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

  // Scores become relative to the first node's, so that a long text does not lose the digits that decide.
  void raise(std::span<Node> nodes) const {
    const float offset = nodes.front().score;
    for (Node& node : nodes.subspan(0, std::min(nodes.size(), longest_ + 1))) {
      node.score -= node.from < 0 ? 0 : offset;
    }
  }

  std::vector<float> scores_;  // by id
  std::size_t longest_ = 4;    // bytes of a piece, or of an unknown character
  ByteTrie trie_;
  float unknown_score_ = 0;
  std::int32_t unknown_id_;
  UnknownText unknown_;
};

}  // namespace

std::unique_ptr<const SubwordModel> make_sentencepiece_unigram(const SentencePieceFile& model) {
  return std::make_unique<SentencePieceUnigram>(model);
}

}  // namespace rhea
