// Tokens that are looked for in the text before anything else: <|begin_of_text|> and the like.
#pragma once

#include "rhea/tokenizers/byte_trie.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct AddedToken {
  std::string content;
  std::string written;  // what decoding writes: the content, normalised if that is what is looked for
  std::int32_t id = 0;
  bool special = false;      // left out by decode(..., skip_special_tokens)
  bool normalized = false;   // looked for in the normalised text, not in the raw one
  bool single_word = false;  // not inside a word
  bool lstrip = false;       // takes the white space before it along
  bool rstrip = false;       // and behind it
};

// Finds the leftmost and there the longest of a set of tokens.
class AddedTokenFinder {
 public:
  // Looks for `content` (the token's own, or that normalised).
  void add(std::string content, const AddedToken& token);

  // Calls text(std::string_view) for the stretches between tokens (none empty) and token(id) for each token, in order.
  template <class Text, class Token>
  void split(std::string_view whole, const Text& text, const Token& token) const {
    std::size_t done = 0;
    for (std::size_t at = 0; !tokens_.empty() && at < whole.size();) {
      const Entry* found = find_at(whole, at);
      if (found == nullptr) {
        ++at;
        continue;
      }
      const std::size_t end = at + found->content.size();
      if (found->token.single_word && touches_word(whole, at, end)) {
        at = end;
        continue;
      }
      const Bounds bounds = with_spaces(whole, {at, end}, done, found->token);
      if (bounds.begin > done) {
        text(whole.substr(done, bounds.begin - done));
      }
      token(found->token.id);
      done = bounds.end;
      at = std::max(end, done);
    }
    if (done < whole.size()) {
      text(whole.substr(done));
    }
  }

 private:
  struct Entry {
    std::string content;
    AddedToken token;
  };
  struct Bounds {
    std::size_t begin, end;
  };

  const Entry* find_at(std::string_view whole, std::size_t at) const;
  static bool touches_word(std::string_view whole, std::size_t begin, std::size_t end);
  static Bounds with_spaces(std::string_view whole, Bounds bounds, std::size_t done, const AddedToken& token);

  std::vector<Entry> tokens_;
  ByteTrie by_content_;  // index into tokens_
  std::array<bool, 256> starts_token_{};
};

}  // namespace rhea
