// SentencePiece's normalisation: its rules for characters, spaces removed, added and marked (sentencepiece/src/normalizer.cc).
#pragma once

#include "rhea/tokenizers/byte_trie.h"
#include "rhea/tokenizers/character_map.h"
#include "rhea/tokenizers/sentencepiece_file.h"

#include <optional>
#include <string>
#include <string_view>

namespace rhea {

class SentencePieceNormalizer {
 public:
  // Throws std::invalid_argument saying what is broken in the rules.
  explicit SentencePieceNormalizer(const SentencePieceFile& model);

  // A byte that is no UTF-8 becomes U+FFFD.
  std::string apply(std::string_view text) const;

 private:
  struct Step {
    std::string_view written;
    std::size_t length;  // bytes of the text
  };
  Step first_step(std::string_view text) const;

  std::optional<CharacterMap> characters_;
  ByteTrie user_defined_;  // stay as they are
  bool add_space_before_, add_space_behind_, remove_extra_spaces_;
  std::string_view space_;
};

}  // namespace rhea
