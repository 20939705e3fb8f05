#include "rhea/tokenizers/pattern.h"

#include "rhea/tokenizers/pre_tokenizer.h"
#include "rhea/tokenizers/unicode_space.h"

namespace rhea {

void Pattern::split(std::string_view text, const Part& part) const {
  if (!regex_) {
    split_by_text(text, part);
    return;
  }
  Regex::Matcher matcher(*regex_);
  split_by_matches(matcher, text, part);
}

void Pattern::split_by_text(std::string_view text, const Part& part) const {
  std::size_t done = 0;
  for (std::size_t at = 0; !text_.empty() && (at = text.find(text_, done)) != std::string_view::npos; done = at + text_.size()) {
    if (at > done) {
      part(text.substr(done, at - done), false);
    }
    part(text.substr(at, text_.size()), true);
  }
  if (done < text.size()) {
    part(text.substr(done), false);
  }
}

Pattern read_pattern(const JsonView& pattern) {
  return pattern.has("String") ? Pattern(std::string(pattern["String"].string())) : Pattern(read_regex(pattern));
}

Regex read_regex(const JsonView& pattern) {
  if (!pattern.has("Regex")) {
    pattern.refuse("expected {{\"String\": ...}} or {{\"Regex\": ...}}");
  }
  try {
    return Regex(write_out_spaces(pattern["Regex"].string()));
  } catch (const Error& error) {
    pattern["Regex"].refuse("{}", error.what());
  }
}

}  // namespace rhea
