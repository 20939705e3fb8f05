#include "rhea/tokenizers/pre_tokenizer.h"

#include "rhea/tokenizers/byte_level.h"
#include "rhea/tokenizers/pattern.h"
#include "rhea/tokenizers/split_behavior.h"
#include "rhea/tokenizers/unicode.h"
#include "rhea/tokenizers/unicode_space.h"

#include <optional>

namespace rhea {
namespace {

using MakeSplitter = PreTokenizer::MakeSplitter;
using Sink = Splitter::Sink;

// Gives pieces on, remembering which is the first.
template <class Cut>
void cut(std::string_view text, SplitBehavior behavior, bool at_start, const Sink& sink, const Cut& cut_into) {
  const auto piece = [&](std::string_view part) { sink(part, at_start && part.data() == text.data()); };
  PartJoiner joiner(behavior, piece);
  cut_into(joiner);
  joiner.flush();
}

class PatternSplitter : public Splitter {
 public:
  PatternSplitter(std::shared_ptr<const Regex> regex, SplitBehavior behavior, bool invert)
      : regex_(std::move(regex)), matcher_(*regex_), behavior_(behavior), invert_(invert) {}

  void split(std::string_view text, bool at_start, const Sink& sink) override {
    cut(text, behavior_, at_start, sink, [&](auto& joiner) {
      split_by_matches(matcher_, text, [&](std::string_view part, bool matches) { joiner.add(part, matches != invert_); });
    });
  }

 private:
  std::shared_ptr<const Regex> regex_;
  Regex::Matcher matcher_;
  SplitBehavior behavior_;
  bool invert_;
};

// Where each character for which a function says so is a match.
class CharacterSplitter : public Splitter {
 public:
  using Matches = bool (*)(std::int32_t code);
  CharacterSplitter(Matches matches, SplitBehavior behavior) : matches_(matches), behavior_(behavior) {}

  void split(std::string_view text, bool at_start, const Sink& sink) override {
    cut(text, behavior_, at_start, sink, [&](auto& joiner) {
      std::size_t done = 0, at = 0;
      for_each_character(text, [&](const Character& character) {
        if (matches_(character.code)) {
          if (at > done) {
            joiner.add(text.substr(done, at - done), false);
          }
          joiner.add(character.bytes, true);
          done = at + character.bytes.size();
        }
        at += character.bytes.size();
      });
      if (done < text.size()) {
        joiner.add(text.substr(done), false);
      }
    });
  }

 private:
  Matches matches_;
  SplitBehavior behavior_;
};

class TextSplitter : public Splitter {
 public:
  TextSplitter(std::string text, SplitBehavior behavior, bool invert)
      : pattern_(std::move(text)), behavior_(behavior), invert_(invert) {}

  void split(std::string_view text, bool at_start, const Sink& sink) override {
    cut(text, behavior_, at_start, sink, [&](auto& joiner) {
      pattern_.split(text, [&](std::string_view part, bool matches) { joiner.add(part, matches != invert_); });
    });
  }

 private:
  Pattern pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

// A space before the text, if it does not begin with one.
class PrefixSpace : public Splitter {
 public:
  void split(std::string_view text, bool at_start, const Sink& sink) override {
    if (text.starts_with(' ')) {
      sink(text, at_start);
    } else {
      prefixed_.assign(1, ' ').append(text);
      sink(prefixed_, at_start);
    }
  }

 private:
  std::string prefixed_;
};

class ByteSpeller : public Splitter {
 public:
  void split(std::string_view text, bool at_start, const Sink& sink) override { sink(spell_bytes(text), at_start); }
};

// SentencePiece's way: spaces become a visible character, and words begin with it.
class MetaspaceSplitter : public Splitter {
 public:
  enum class Prepend { kAlways, kFirst, kNever };
  MetaspaceSplitter(std::string mark, Prepend prepend, bool cuts)
      : mark_(std::move(mark)), pattern_(mark_), prepend_(prepend), cuts_(cuts) {}

  void split(std::string_view text, bool at_start, const Sink& sink) override {
    marked_.clear();
    const bool begins_marked = text.starts_with(' ') || text.starts_with(mark_);
    if (!begins_marked && (prepend_ == Prepend::kAlways || (prepend_ == Prepend::kFirst && at_start))) {
      marked_ = mark_;
    }
    for (const char c : text) {
      marked_ += c == ' ' ? std::string_view(mark_) : std::string_view(&c, 1);
    }
    if (!cuts_) {
      sink(marked_, at_start);
      return;
    }
    cut(marked_, SplitBehavior::kMergedWithNext, at_start, sink,
        [&](auto& joiner) { pattern_.split(marked_, [&](std::string_view part, bool matches) { joiner.add(part, matches); }); });
  }

 private:
  std::string mark_, marked_;
  Pattern pattern_;
  Prepend prepend_;
  bool cuts_;
};

class WordSplitter : public Splitter {
 public:
  void split(std::string_view text, bool at_start, const Sink& sink) override {
    std::size_t begin = 0;
    while (begin < text.size()) {
      std::size_t word = begin;
      while (text.substr(word).starts_with(kSpaceMark)) {
        word += kSpaceMark.size();
      }
      const std::size_t end = std::min(text.find(kSpaceMark, word), text.size());
      sink(text.substr(begin, end - begin), at_start && begin == 0);
      begin = end;
    }
  }
};

class FixedLengthSplitter : public Splitter {
 public:
  explicit FixedLengthSplitter(std::int64_t length) : length_(length) {}

  void split(std::string_view text, bool at_start, const Sink& sink) override {
    std::size_t begin = 0, at = 0;
    std::int64_t count = 0;
    for_each_character(text, [&](const Character& character) {
      at += character.bytes.size();
      if (++count == length_ || at == text.size()) {
        sink(text.substr(begin, at - begin), at_start && begin == 0);
        begin = at;
        count = 0;
      }
    });
  }

 private:
  std::int64_t length_;
};

template <class Made, class... Args>
MakeSplitter maker(const Args&... args) {
  return [=] { return std::make_unique<Made>(args...); };
}

MakeSplitter pattern_maker(std::string_view pattern, SplitBehavior behavior, bool invert) {
  return maker<PatternSplitter>(std::make_shared<const Regex>(write_out_spaces(pattern)), behavior, invert);
}

MakeSplitter read_split(const JsonView& stage) {
  const SplitBehavior behavior = read_split_behavior(stage, SplitBehavior::kIsolated);
  const bool invert = stage.boolean("invert", false);
  const JsonView pattern = stage["pattern"];
  if (pattern.has("String") && pattern["String"].string().empty()) {
    return pattern_maker("", behavior, invert);  // cuts between all characters
  }
  if (pattern.has("String")) {
    return maker<TextSplitter>(std::string(pattern["String"].string()), behavior, invert);
  }
  return maker<PatternSplitter>(std::make_shared<const Regex>(read_regex(pattern)), behavior, invert);
}

MakeSplitter read_metaspace(const JsonView& stage) {
  using Prepend = MetaspaceSplitter::Prepend;
  Prepend prepend = stage.boolean("add_prefix_space", true) ? Prepend::kAlways : Prepend::kNever;  // the older form
  if (stage.has("prepend_scheme")) {
    const std::string_view scheme = stage["prepend_scheme"].string();
    if (scheme != "always" && scheme != "first" && scheme != "never") {
      stage["prepend_scheme"].refuse("\"{}\" is none of always, first, never", scheme);
    }
    prepend = scheme == "always" ? Prepend::kAlways : scheme == "first" ? Prepend::kFirst : Prepend::kNever;
  }
  const std::string_view mark = stage.has("replacement") ? stage["replacement"].string() : "\xe2\x96\x81";
  return maker<MetaspaceSplitter>(std::string(mark), prepend, stage.boolean("split", true));
}

void add_byte_level(const JsonView& stage, std::vector<MakeSplitter>& stages) {
  if (stage.boolean("add_prefix_space", true)) {
    stages.push_back(maker<PrefixSpace>());
  }
  if (stage.boolean("use_regex", true)) {
    stages.push_back(pattern_maker(kGpt2Pattern, SplitBehavior::kIsolated, false));
  }
}

// Words and what is neither word nor space, as the regular expression \w+|[^\w\s]+ of Rust has it.
MakeSplitter words_and_signs() {
  const std::string word = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control})", space = R"(\p{Z}\t-\r\x{85}\p{Z})";
  return pattern_maker("[" + word + "]+|[^" + word + space + "]+", SplitBehavior::kRemoved, /*invert=*/true);
}

void add(const JsonView& stage, bool bytes_at_the_end, PreTokenizer& result) {
  auto& stages = result.stages;
  const std::string_view type = stage["type"].string();
  if (type == "Sequence") {
    const std::vector<JsonView> parts = stage["pretokenizers"].items();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      add(parts[i], bytes_at_the_end && i + 1 == parts.size(), result);
    }
  } else if (type == "ByteLevel") {
    add_byte_level(stage, stages);
    if (bytes_at_the_end) {
      result.alphabet = Alphabet::kBytes;
    } else {
      stages.push_back(maker<ByteSpeller>());
    }
  } else if (type == "Split") {
    stages.push_back(read_split(stage));
  } else if (type == "Metaspace") {
    stages.push_back(read_metaspace(stage));
  } else if (type == "Whitespace") {
    stages.push_back(words_and_signs());
  } else if (type == "WhitespaceSplit") {
    stages.push_back(maker<CharacterSplitter>(&is_white_space, SplitBehavior::kRemoved));
  } else if (type == "BertPreTokenizer") {
    stages.push_back(maker<CharacterSplitter>(&is_white_space, SplitBehavior::kRemoved));
    stages.push_back(maker<CharacterSplitter>(&is_punctuation, SplitBehavior::kIsolated));
  } else if (type == "Digits") {
    const bool individual = stage.boolean("individual_digits", false);
    stages.push_back(maker<CharacterSplitter>(&is_numeric, individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous));
  } else if (type == "Punctuation") {
    stages.push_back(maker<CharacterSplitter>(&is_punctuation, read_split_behavior(stage, SplitBehavior::kIsolated)));
  } else if (type == "CharDelimiterSplit") {
    stages.push_back(maker<TextSplitter>(std::string(stage["delimiter"].string()), SplitBehavior::kRemoved, false));
  } else if (type == "FixedLength") {
    stages.push_back(maker<FixedLengthSplitter>(stage.has("length") ? stage["length"].integer(1, INT32_MAX) : 5));
  } else {
    stage.refuse("\"{}\" is not supported", type);
  }
}

}  // namespace

SplitBehavior read_split_behavior(const JsonView& stage, SplitBehavior otherwise) {
  if (!stage.has("behavior")) {
    return otherwise;
  }
  const std::string_view name = stage["behavior"].string();
  if (name == "Removed") {
    return SplitBehavior::kRemoved;
  }
  if (name == "Isolated") {
    return SplitBehavior::kIsolated;
  }
  if (name == "MergedWithPrevious") {
    return SplitBehavior::kMergedWithPrevious;
  }
  if (name == "MergedWithNext") {
    return SplitBehavior::kMergedWithNext;
  }
  if (name == "Contiguous") {
    return SplitBehavior::kContiguous;
  }
  stage["behavior"].refuse("\"{}\" is none of Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous", name);
}

PreTokenizer read_pre_tokenizer(const JsonView& top, bool bytes_at_the_end) {
  PreTokenizer result;
  if (top.has("pre_tokenizer")) {
    add(top["pre_tokenizer"], bytes_at_the_end, result);
  }
  return result;
}

MakeSplitter pattern_splitter(std::string_view pattern) {
  return pattern_maker(pattern, SplitBehavior::kIsolated, /*invert=*/false);
}

MakeSplitter word_splitter() {
  return maker<WordSplitter>();
}

PieceSplitter::PieceSplitter(const PreTokenizer& pre_tokenizer) {
  for (const auto& make : pre_tokenizer.stages) {
    splitters_.push_back(make());
  }
  for (std::size_t i = 0; i < splitters_.size(); ++i) {
    const bool last = i + 1 == splitters_.size();
    sinks_.push_back(last ? Sink([this](std::string_view piece, bool at_start) { (*out_)(piece, at_start); })
                          : Sink([this, i](std::string_view piece, bool at_start) {
                              splitters_[i + 1]->split(piece, at_start, sinks_[i + 1]);
                            }));
  }
}

void PieceSplitter::split(std::string_view text, bool at_start, const Sink& sink) {
  out_ = &sink;
  if (splitters_.empty()) {
    sink(text, at_start);
  } else {
    splitters_.front()->split(text, at_start, sinks_.front());
  }
}

}  // namespace rhea
