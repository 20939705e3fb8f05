#include "rhea/config/config_text.h"
#include "rhea/config/file_readers.h"
#include "rhea/config/key_table.h"
#include "rhea/core/error.h"

#include <toml++/toml.h>

#include <optional>
#include <string>

namespace rhea {
namespace {

std::string place(const std::filesystem::path& path, const toml::source_region& source) {
  return fmt::format("{}:{}", path.string(), source.begin.line);
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
      fail_usage("{}: {}: expected {}, got a date, a table or a list of other things", origin, key.full_name(), expectation(key));
    }
    keys.set(section, name.str(), *value, origin);
  }
}

}  // namespace

void read_toml(KeyTable& keys, const std::filesystem::path& path) {
  const std::string text = read_config_text(path);
  toml::table document;
  try {
    document = toml::parse(std::string_view(text), path.string());
  } catch (const toml::parse_error& error) {
    fail_usage("{}:{}:{}: {}", path.string(), error.source().begin.line, error.source().begin.column, error.description());
  }
  for (const auto& [name, node] : document) {
    const std::string origin = place(path, name.source());
    const auto* table = node.as_table();
    if (table == nullptr) {
      fail_usage("{}: \"{}\" stands outside of any section; write it under a [section] line", origin, name.str());
    }
    keys.require_section(name.str(), origin);
    read_section(keys, path, name.str(), *table);
  }
}

}  // namespace rhea
