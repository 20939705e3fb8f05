#include "rhea/tokenizers/unicode_space.h"

#include <algorithm>

namespace rhea {
namespace {

// Begins and ends with a property, so that a hyphen beside it stays a hyphen.
constexpr std::string_view kWhiteSpace = R"(\p{Z}\t-\r\x{85}\p{Z})";

// Where a stretch that begins at `at` and ends with `end` is over.
std::size_t behind(std::string_view pattern, std::size_t at, std::string_view end) {
  const std::size_t found = pattern.find(end, at);
  return found == std::string_view::npos ? pattern.size() : found + end.size();
}

}  // namespace

std::string write_out_spaces(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size();) {
    const std::string_view rest = pattern.substr(i);
    std::size_t used = 1;
    if (rest.starts_with("\\Q")) {
      used = behind(pattern, i, "\\E") - i;
    } else if (rest.starts_with("\\s")) {
      out.append(in_class ? "" : "[").append(kWhiteSpace).append(in_class ? "" : "]");
      i += 2;
      continue;
    } else if (rest.starts_with("\\S") && !in_class) {
      out.append("[^").append(kWhiteSpace).append("]");
      i += 2;
      continue;
    } else if (rest[0] == '\\') {
      used = std::min<std::size_t>(2, rest.size());
    } else if (in_class && rest.starts_with("[:")) {
      used = behind(pattern, i, ":]") - i;
    } else if (in_class) {
      in_class = rest[0] != ']';
    } else if (rest[0] == '[') {
      in_class = true;
      used += rest.substr(used).starts_with('^');
      used += rest.substr(used).starts_with(']');  // first in a class, it is itself
    }
    out += rest.substr(0, used);
    i += used;
  }
  return out;
}

}  // namespace rhea
