// The key table as people read it: --help, a Markdown page, a TOML file.
#include "rhea/config/parse.h"
#include "rhea/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace rhea {
namespace {

constexpr std::size_t kWidth = 120;

// Words of the text on lines of at most `width`, those after the first indented.
std::string wrapped(std::string_view text, std::size_t indentation) {
  const std::size_t width = kWidth - indentation;
  std::string result;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (used > 0 && used + 1 + word.size() > width) {
      result += "\n" + std::string(indentation, ' ');
      used = 0;
    } else if (used > 0) {
      result += ' ';
      ++used;
    }
    result += word;
    used += word.size();
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  return result;
}

std::string meaning(const Key& key) {
  return fmt::format("{} ({}; default {})", key.help, expectation(key), key.default_value);
}

}  // namespace

std::string to_toml(const KeyTable& keys) {
  std::string text;
  for (const SectionHelp& section : keys.sections()) {
    text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section.name);
    for (const Key& key : keys.keys()) {
      if (key.section == section.name) {
        text += fmt::format("{} = {}\n", key.name, to_toml(key.field));
      }
    }
  }
  return text;
}

std::string help_text(const KeyTable& keys, const Program& program) {
  std::string text = fmt::format(
      "{}: {}\n\n"
      "usage: rhea run {} [--nproc N] [--config FILE.toml|FILE.yaml] [section.key=value ...]\n\n"
      "Values come from the defaults, then the file, then the command line. There they may be written section.key=value,\n"
      "--section.key=value or --section.key value; a boolean alone is true; lists are a,b. The last one counts.\n",
      program.name, program.summary, program.name);
  std::size_t longest = 0;
  for (const Key& key : keys.keys()) {
    longest = std::max(longest, key.name.size());
  }
  const std::size_t indentation = longest + 4;
  for (const SectionHelp& section : keys.sections()) {
    text += fmt::format("\n[{}] {}\n", section.name, section.help);
    for (const Key& key : keys.keys()) {
      if (key.section == section.name) {
        text += fmt::format("  {:<{}}  {}\n", key.name, longest, wrapped(meaning(key), indentation));
      }
    }
  }
  return text;
}

std::string help_markdown(const KeyTable& keys, const Program& program) {
  std::string text = fmt::format("## {}\n\n{}\n", program.name, program.summary);
  for (const SectionHelp& section : keys.sections()) {
    text +=
        fmt::format("\n### [{}]\n\n{}\n\n| key | default | accepts | meaning |\n|---|---|---|---|\n", section.name, section.help);
    for (const Key& key : keys.keys()) {
      if (key.section == section.name) {
        text += fmt::format("| `{}` | `{}` | {} | {} |\n", key.name, key.default_value, expectation(key), key.help);
      }
    }
  }
  return text;
}

}  // namespace rhea
