// SentencePiece's normalisation rules in their compiled form ("precompiled_charsmap"): a double-array trie from sequences
// of characters to what replaces them.
//
// The form (sentencepiece/src/normalizer.cc): uint32 size of the trie in bytes, the trie (uint32 units as Darts-clone
// writes them), then the replacements, each ended by a zero byte. The trie's values are places among these.
#pragma once

#include "rhea/tokenizers/json_view.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

class CharacterMap {
 public:
  // Throws std::invalid_argument saying what is broken.
  explicit CharacterMap(std::string_view compiled);

  // Replaces grapheme clusters of less than six bytes as a whole where there is a rule for their begin, else character by
  // character: as Hugging Face's library does, whose results the vocabularies in its files were made for.
  std::string apply(std::string_view text) const;

  struct Rule {
    std::size_t length;       // bytes that are replaced
    const char* replacement;  // ends with a zero byte
  };
  // The rule for the longest sequence that the text begins with: SentencePiece's own reading.
  std::optional<Rule> longest_rule(std::string_view text) const;

 private:
  template <class Found>  // found(Rule) -> bool: go on
  void for_each_rule(std::string_view text, const Found& found) const;
  // What replaces the shortest sequence with a rule that the text begins with; null if there is none.
  const char* replacement(std::string_view text) const;
  void append(std::string_view cluster, std::string& out) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

// From base64. Throws Error naming the key.
CharacterMap read_character_map(const JsonView& map);

}  // namespace rhea
