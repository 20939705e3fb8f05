#include "rhea/config/config_text.h"
#include "rhea/config/file_readers.h"
#include "rhea/config/key_table.h"
#include "rhea/core/error.h"

#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace rhea {
namespace {

std::string place(const std::filesystem::path& path, const toml::source_region& source) {
  return fmt::format("{}:{}", path.string(), source.begin.line);
}

std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const bool has_escapes = quote == '"';
  const std::string fence(3, quote);
  const bool many_lines = text.substr(begin).starts_with(fence);
  for (std::size_t i = begin + (many_lines ? 3 : 1); i < text.size(); ++i) {
    if (has_escapes && text[i] == '\\') {
      ++i;
    } else if (many_lines && text.substr(i).starts_with(fence)) {
      return i + 2;
    } else if (!many_lines && (text[i] == quote || text[i] == '\n')) {
      return i;
    }
  }
  return text.size();
}

// toml++ bounds the nesting of values but not a.b.c...: each dot is a table, and its destructor's recursion overflows
// the stack after a hundred thousand.
void check_dots(std::string_view text, const std::filesystem::path& path) {
  constexpr int kMost = 64;
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      dots = 0;
    } else if (c == '=' || c == '\n' || c == ',' || c == '{') {
      dots = 0;
    } else if (c == '.' && ++dots > kMost) {
      fail_usage("{}:{}: a key with more than {} dots", path.string(),
                 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '\n'), kMost);
    }
  }
}

// What no key takes, in words.
std::string_view kind_of(const toml::node& node) {
  if (node.is_table()) {
    return "a table";
  }
  return node.is_array() ? "a list of other things than text" : "a date or time";
}

// Nothing for what no key takes: dates, times, tables, lists of anything but text.
std::optional<Value> value_of(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) {
    return flag->get();
  }
  if (const auto* integer = node.as_integer()) {
    return integer->get();
  }
  if (const auto* number = node.as_floating_point()) {
    return number->get();
  }
  if (const auto* text = node.as_string()) {
    return text->get();
  }
  const auto* array = node.as_array();
  if (array == nullptr) {
    return std::nullopt;
  }
  std::vector<std::string> list;
  for (const toml::node& element : *array) {
    const auto* text = element.as_string();
    if (text == nullptr) {
      return std::nullopt;
    }
    list.push_back(text->get());
  }
  return list;
}

void read_section(KeyTable& keys, const std::filesystem::path& path, std::string_view section, const toml::table& table) {
  for (const auto& [name, node] : table) {
    const std::string origin = place(path, name.source());
    const Key& key = keys.require_key(section, name.str(), origin);
    const auto value = value_of(node);
    if (!value) {
      fail_usage("{}: {}: expected {}, got {}", origin, key.full_name(), expectation(key), kind_of(node));
    }
    keys.set(section, name.str(), *value, origin);
  }
}

}  // namespace

void read_toml(KeyTable& keys, const std::filesystem::path& path) {
  const std::string text = read_config_text(path);
  check_dots(text, path);
  toml::table document;
  try {
    document = toml::parse(std::string_view(text), path.string());
  } catch (const toml::parse_error& error) {
    fail_usage("{}:{}:{}: {}", path.string(), error.source().begin.line, error.source().begin.column, error.description());
  }
  for (const auto& [name, node] : document) {
    const std::string origin = place(path, name.source());
    keys.require_section(name.str(), origin);
    const auto* table = node.as_table();
    if (table == nullptr) {
      fail_usage("{}: \"{}\" is a section: write [{}] and its keys below", origin, name.str(), name.str());
    }
    read_section(keys, path, name.str(), *table);
  }
}

}  // namespace rhea
