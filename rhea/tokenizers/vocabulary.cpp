#include "rhea/tokenizers/vocabulary.h"

#include <algorithm>

namespace rhea {
namespace {

constexpr std::int64_t kMaxVocabSize = 1 << 24;  // the largest known vocabularies have 2^18

}  // namespace

Vocabulary Vocabulary::read_map(const JsonView& vocab) {
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
  std::vector<std::string> tokens(size);
  for (const auto entry : vocab.object()) {
    std::string& token = tokens[id_from(entry)];
    if (entry.key.empty() || !token.empty()) {
      vocab.refuse("id {} is \"{}\" and \"{}\"; each id needs one token that is not empty", id_from(entry), token, entry.key);
    }
    token = entry.key;
  }
  Vocabulary vocabulary(std::move(tokens));
  for (std::size_t id = 0; id < size; ++id) {
    const std::string& token = vocabulary.tokens_[id];
    if (!token.empty() && vocabulary.ids_.at(token) != static_cast<std::int32_t>(id)) {
      vocab.refuse("\"{}\" has two ids, {} and {}", token, id, vocabulary.ids_.at(token));
    }
  }
  return vocabulary;
}

Vocabulary::Vocabulary(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  ids_.reserve(tokens_.size());
  for (std::size_t id = 0; id < tokens_.size(); ++id) {
    if (!tokens_[id].empty()) {
      ids_[tokens_[id]] = static_cast<std::int32_t>(id);
    }
  }
}

std::optional<std::int32_t> Vocabulary::id_of(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::int32_t> find_byte_tokens(const Vocabulary& vocabulary) {
  std::vector<std::int32_t> ids(256);
  for (int byte = 0; byte < 256; ++byte) {
    ids[static_cast<std::size_t>(byte)] = vocabulary.id_of(fmt::format("<0x{:02X}>", byte)).value_or(-1);
  }
  return ids;
}

}  // namespace rhea
