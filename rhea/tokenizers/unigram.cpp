#include "rhea/tokenizers/unigram.h"

#include "rhea/tokenizers/unicode.h"

#include <algorithm>
#include <limits>

namespace rhea {
namespace {

constexpr double kUnknownPenalty = 10;  // below the least likely token

std::vector<ScoredToken> read_tokens(const JsonView& vocab) {
  std::vector<ScoredToken> tokens;
  for (const simdjson::dom::element item : vocab.array()) {
    std::string_view text;
    double score = 0;
    if (item.at(0).get(text) || item.at(1).get(score) || !item.at(2).error()) {
      vocab.refuse("entry {} must be [\"token\", score]", tokens.size());
    }
    tokens.push_back({std::string(text), score});
  }
  if (tokens.empty()) {
    vocab.refuse("is empty");
  }
  return tokens;
}

std::int32_t read_unknown_id(const JsonView& model) {
  if (!model.has("unk_id")) {
    return -1;
  }
  const auto size = static_cast<std::int64_t>(model["vocab"].array().size());
  return static_cast<std::int32_t>(model["unk_id"].integer(0, size - 1));
}

std::vector<std::string> texts_of(const std::vector<ScoredToken>& tokens) {
  std::vector<std::string> texts;
  for (const ScoredToken& token : tokens) {
    texts.push_back(token.text);
  }
  return texts;
}

}  // namespace

Unigram::Unigram(const JsonView& model)
    : Unigram(read_tokens(model["vocab"]), read_unknown_id(model), model.boolean("byte_fallback", false)) {}

Unigram::Unigram(std::vector<ScoredToken> tokens, std::int32_t unknown_id, bool byte_fallback)
    : SubwordModel(Vocabulary(texts_of(tokens))), unknown_id_(unknown_id) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    scores_.push_back(tokens[id].score);
    least = std::min(least, tokens[id].score);
    if (!tokens[id].text.empty()) {
      trie_.insert(tokens[id].text, static_cast<std::int32_t>(id));
    }
  }
  unknown_score_ = least - kUnknownPenalty;
  if (byte_fallback) {
    byte_ids_ = find_byte_tokens(vocabulary());
  }
}

// Where several unknown characters follow each other they are one token.
std::vector<std::string_view> Unigram::best_cut(std::string_view piece) const {
  struct Node {
    std::int64_t from = -1;  // where the last token of the best way to here begins
    double score = 0;
    std::int32_t id = -1;
  };
  std::vector<Node> nodes(piece.size() + 1);
  const auto offer = [&](std::size_t from, std::size_t to, double score, std::int32_t id) {
    Node& node = nodes[to];
    if (node.from < 0 || score > node.score) {
      node = {static_cast<std::int64_t>(from), score, id};
    }
  };
  for (std::size_t begin = 0; begin < piece.size();) {
    const std::size_t character = first_character(piece.substr(begin)).bytes.size();
    const double score = nodes[begin].score;
    bool known = false;
    trie_.for_each_prefix(piece.substr(begin), [&](std::size_t length, std::int32_t id) {
      offer(begin, begin + length, score + scores_[static_cast<std::size_t>(id)], id);
      known |= length == character;
    });
    if (!known) {
      offer(begin, begin + character, score + unknown_score_, unknown_id_);
    }
    begin += character;
  }
  std::vector<std::string_view> cut;
  bool after_unknown = false;
  for (std::size_t end = piece.size(); end > 0;) {
    const Node& node = nodes[end];
    const auto from = static_cast<std::size_t>(node.from);
    const bool unknown = node.id == unknown_id_;
    if (unknown && after_unknown) {
      cut.back() = piece.substr(from, end - from + cut.back().size());
    } else {
      cut.push_back(piece.substr(from, end - from));
    }
    after_unknown = unknown;
    end = from;
  }
  std::reverse(cut.begin(), cut.end());
  return cut;
}

void Unigram::encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const {
  for (const std::string_view text : best_cut(piece)) {
    if (const auto id = vocabulary().id_of(text)) {
      ids.push_back(*id);
      continue;
    }
    const auto lacks = [&](char c) { return byte_ids_[static_cast<unsigned char>(c)] < 0; };
    if (!byte_ids_.empty() && std::none_of(text.begin(), text.end(), lacks)) {
      for (const char c : text) {
        ids.push_back(byte_ids_[static_cast<unsigned char>(c)]);
      }
    } else if (unknown_id_ >= 0) {
      ids.push_back(unknown_id_);
    } else {
      fail("the tokenizer has no token for {:?} and no unk_id for what is unknown", text);
    }
  }
}

}  // namespace rhea
