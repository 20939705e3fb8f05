// Tokens that are looked for in the text before anything else: <|begin_of_text|> and the like.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool special = false;     // left out by decode(..., skip_special_tokens)
  bool normalized = false;  // looked for in the normalised text, not in the raw one
};

// Finds the leftmost and there the longest of a set of tokens.
class AddedTokenFinder {
 public:
  void add(std::string content, std::int32_t id);

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
      if (at > done) {
        text(whole.substr(done, at - done));
      }
      token(found->id);
      done = at += found->content.size();
    }
    if (done < whole.size()) {
      text(whole.substr(done));
    }
  }

 private:
  struct Entry {
    std::string content;
    std::int32_t id;
  };

  const Entry* find_at(std::string_view whole, std::size_t at) const {
    if (!starts_token_[static_cast<unsigned char>(whole[at])]) {
      return nullptr;
    }
    const auto found =
        std::find_if(tokens_.begin(), tokens_.end(), [&](const Entry& e) { return whole.substr(at).starts_with(e.content); });
    return found == tokens_.end() ? nullptr : &*found;
  }

  std::vector<Entry> tokens_;  // longest first
  std::array<bool, 256> starts_token_{};
};

}  // namespace rhea
