// Second stage: cuts text into the pieces inside which BPE merges.
#pragma once

#include "rhea/tokenizers/regex.h"
#include "rhea/tokenizers/utf8.h"

#include <optional>
#include <string>
#include <string_view>

namespace rhea {

// GPT-2's pattern, which ByteLevel uses unless it is told use_regex = false.
inline constexpr std::string_view kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

struct PreTokenizer {
  std::optional<Regex> pattern;  // none: the whole text is one piece
  bool add_prefix_space = false;
};

// Calls piece(std::string_view) for each match of the pattern and each stretch between matches, so that every byte is in
// exactly one piece. Bytes that are no UTF-8 are pieces of their own.
template <class Piece>
void split_by_pattern(Regex::Matcher& matcher, std::string_view text, const Piece& piece) {
  for_each_utf8_run(text, [&](std::string_view run, bool valid) {
    std::size_t done = 0;
    std::size_t from = 0;
    while (valid && from < run.size()) {
      const auto match = matcher.find(run, from);
      if (!match) {
        break;
      }
      if (match->end == match->begin) {  // an empty match cuts nothing off: look on behind the next character
        from = match->end + 1;
        while (from < run.size() && (static_cast<unsigned char>(run[from]) & 0xC0) == 0x80) {
          ++from;
        }
        continue;
      }
      if (match->begin > done) {
        piece(run.substr(done, match->begin - done));
      }
      piece(run.substr(match->begin, match->end - match->begin));
      done = from = match->end;
    }
    if (done < run.size()) {
      piece(run.substr(done));
    }
  });
}

}  // namespace rhea
