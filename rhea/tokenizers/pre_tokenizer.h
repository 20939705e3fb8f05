// Second stage: cuts text into the pieces that a model encodes one by one.
#pragma once

#include "rhea/tokenizers/json_view.h"
#include "rhea/tokenizers/regex.h"
#include "rhea/tokenizers/subword_model.h"
#include "rhea/tokenizers/utf8.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

// GPT-2's pattern, which ByteLevel uses unless it is told use_regex = false.
inline constexpr std::string_view kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// One cut of a pre-tokenizer at work. Has room of its own, so each thread makes one.
class Splitter {
 public:
  // A piece is not empty and lives until the call returns; at_start: with it the whole text begins.
  using Sink = std::function<void(std::string_view piece, bool at_start)>;
  virtual ~Splitter() = default;
  virtual void split(std::string_view piece, bool at_start, const Sink& sink) = 0;
};

struct PreTokenizer {
  using MakeSplitter = std::function<std::unique_ptr<Splitter>()>;
  std::vector<MakeSplitter> stages;  // none: the whole text is one piece
  Alphabet alphabet = Alphabet::kCharacters;
};

// Reads the "pre_tokenizer" of a tokenizer.json. bytes_at_the_end: where the last stage is ByteLevel, pieces stay bytes.
// Throws Error naming what is wrong or not supported.
PreTokenizer read_pre_tokenizer(const JsonView& top, bool bytes_at_the_end);

// A stage that makes each match of a regular expression, and what lies between matches, a piece.
PreTokenizer::MakeSplitter pattern_splitter(std::string_view pattern);

// A stage that cuts before each run of kSpaceMark.
PreTokenizer::MakeSplitter word_splitter();

// The stages at work, one after the other.
class PieceSplitter {
 public:
  explicit PieceSplitter(const PreTokenizer& pre_tokenizer);
  void split(std::string_view text, bool at_start, const Splitter::Sink& sink);

 private:
  std::vector<std::unique_ptr<Splitter>> splitters_;
  std::vector<Splitter::Sink> sinks_;  // sinks_[i] gives pieces to stage i + 1; the last one to whoever asked
  const Splitter::Sink* out_ = nullptr;
};

// Calls part(std::string_view, bool matches) for each match of the pattern and each stretch between matches, so that every
// byte is in exactly one part. An empty match is an empty part: it cuts, unless it stands where the match before it ended.
// Bytes that are no UTF-8 are parts of their own.
template <class Part>
void split_by_matches(Regex::Matcher& matcher, std::string_view text, const Part& part) {
  for_each_utf8_run(text, [&](std::string_view run, bool valid) {
    constexpr std::size_t kNowhere = std::string_view::npos;
    std::size_t done = 0, from = 0, last_end = kNowhere;
    while (valid && from < run.size()) {
      const auto match = matcher.find(run, from);
      if (!match) {
        break;
      }
      if (match->end == match->begin && match->end == last_end) {  // look on behind the next character
        for (++from; from < run.size() && (static_cast<unsigned char>(run[from]) & 0xC0) == 0x80; ++from) {
        }
        continue;
      }
      if (match->begin > done) {
        part(run.substr(done, match->begin - done), false);
      }
      part(run.substr(match->begin, match->end - match->begin), true);
      done = from = last_end = match->end;
    }
    if (done < run.size()) {
      part(run.substr(done), false);
    }
  });
}

// The parts that are not empty.
template <class Piece>
void split_by_pattern(Regex::Matcher& matcher, std::string_view text, const Piece& piece) {
  split_by_matches(matcher, text, [&](std::string_view part, bool) {
    if (!part.empty()) {
      piece(part);
    }
  });
}

}  // namespace rhea
