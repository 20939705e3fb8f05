// The tokens of a model and their ids, both ways.
#pragma once

#include "rhea/tokenizers/json_view.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rhea {

class Vocabulary {
 public:
  // From {"token": id, ...}. Throws Error for an id that is no integer, too large or taken, and for an empty token.
  static Vocabulary read_map(const JsonView& vocab);
  // The id is the place in the list. Of equal tokens the last one is found, as Hugging Face has it.
  explicit Vocabulary(std::vector<std::string> tokens);

  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;
  Vocabulary(Vocabulary&&) = default;

  const std::vector<std::string>& tokens() const { return tokens_; }  // empty where no token has the id
  std::optional<std::int32_t> id_of(std::string_view token) const;

 private:
  std::vector<std::string> tokens_;
  std::unordered_map<std::string_view, std::int32_t> ids_;  // of tokens_
};

// The ids of "<0x00>" ... "<0xFF>", -1 where there is none: SentencePiece's spelling of bytes.
std::vector<std::int32_t> find_byte_tokens(const Vocabulary& vocabulary);

}  // namespace rhea
