// A text or a regular expression to look for: the "pattern" of Split and Replace.
#pragma once

#include "rhea/tokenizers/json_view.h"
#include "rhea/tokenizers/regex.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace rhea {

class Pattern {
 public:
  using Part = std::function<void(std::string_view part, bool matches)>;

  explicit Pattern(std::string text) : text_(std::move(text)) {}
  explicit Pattern(Regex regex) : regex_(std::move(regex)) {}

  // The whole text in order, cut into matches and what lies between them; no part is empty. Any thread may call it.
  void split(std::string_view text, const Part& part) const;

 private:
  void split_by_text(std::string_view text, const Part& part) const;

  std::string text_;
  std::optional<Regex> regex_;
};

// From {"String": ...} or {"Regex": ...}.
Pattern read_pattern(const JsonView& pattern);
Regex read_regex(const JsonView& pattern);

}  // namespace rhea
