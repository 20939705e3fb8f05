// A compiled PCRE2 expression over UTF-8 with Unicode properties (\p{L}, \s, (?i:) mean the Unicode ones).
//
// Compiled once, with the JIT where the machine allows it (about 150 MB/s on the Llama 3 pattern, without it 25).
// Immutable: any thread may match.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rhea {

struct RegexMatch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Regex {
 public:
  enum class Lines { kWhole, kMultiline };  // where ^ and $ match

  // Throws UsageError with PCRE2's reason and the place in the pattern.
  explicit Regex(std::string pattern, Lines lines = Lines::kWhole);

  const std::string& pattern() const { return pattern_; }

  // A reusable place for one thread's matches.
  class Matcher;

 private:
  std::string pattern_;
  std::shared_ptr<const void> code_;  // pcre2_code
  bool jit_ = false;
};

class Regex::Matcher {
 public:
  explicit Matcher(const Regex& regex);

  // The first match that begins at or after `from`. `text` must be valid UTF-8 (utf8.h) and `from` the begin of a
  // character. An empty match at `from` counts. Throws Error if the pattern needs more than its share of work.
  std::optional<RegexMatch> find(std::string_view text, std::size_t from);

 private:
  const Regex& regex_;
  std::shared_ptr<void> data_;     // pcre2_match_data
  std::shared_ptr<void> stack_;    // pcre2_jit_stack
  std::shared_ptr<void> context_;  // pcre2_match_context
};

}  // namespace rhea
