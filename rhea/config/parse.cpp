#include "rhea/config/parse.h"

#include "rhea/config/file_readers.h"
#include "rhea/config/text_value.h"
#include "rhea/core/edit_distance.h"
#include "rhea/core/error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <variant>

namespace rhea {
namespace {

constexpr const char* kOrigin = "command line";

struct Override {
  std::string_view name;  // section.key
  std::optional<std::string_view> value;
};

Override split(std::string_view argument) {
  if (argument.starts_with("--")) {
    argument.remove_prefix(2);
  }
  const auto equals = argument.find('=');
  if (equals == std::string_view::npos) {
    return {argument, std::nullopt};
  }
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

bool is_file_name(std::string_view name) {
  return name.ends_with(".toml") || name.ends_with(".yaml") || name.ends_with(".yml");
}

std::string advice(const KeyTable& keys, std::string_view name) {
  if (is_file_name(name)) {
    return "a configuration file is given as --config FILE";
  }
  if (const auto known = keys.keys_named(name); !known.empty()) {
    return fmt::format("did you mean \"{}\"?", fmt::join(known, "\" or \""));
  }
  const std::vector<std::string> options = {"config", "help"};
  if (const auto near = nearest_names(name, options); !near.empty()) {
    return fmt::format("did you mean \"--{}\"?", near.front());
  }
  return "write section.key=value (--help lists the keys)";
}

std::pair<std::string_view, std::string_view> section_and_key(const KeyTable& keys, std::string_view name,
                                                              std::string_view argument) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size() || is_file_name(name)) {
    fail_usage("{}: {} is no override; {}", kOrigin, quote_toml(argument.substr(0, 80)), advice(keys, name));
  }
  return {name.substr(0, dot), name.substr(dot + 1)};
}

bool is_boolean(const Key& key) {
  return std::holds_alternative<bool*>(key.field);
}

bool looks_like_override(std::string_view argument) {
  return argument.starts_with("--") && argument.find('.') != std::string_view::npos;
}

// Takes "--config F" and "--config=F" out of the arguments.
std::vector<std::string> extract_configs(std::vector<std::string>& arguments) {
  std::vector<std::string> paths, rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.starts_with("--config=")) {
      paths.push_back(argument.substr(std::string_view("--config=").size()));
    } else if (argument == "--config") {
      if (i + 1 == arguments.size()) {
        fail_usage("{}: --config needs a file behind it", kOrigin);
      }
      paths.push_back(arguments[++i]);
    } else {
      rest.push_back(argument);
    }
  }
  arguments = std::move(rest);
  return paths;
}

}  // namespace

void apply_overrides(KeyTable& keys, std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const Override change = split(argument);
    const auto [section, name] = section_and_key(keys, change.name, argument);
    const Key& key = keys.require_key(section, name, kOrigin);
    if (change.value) {
      keys.set_from_text(section, name, *change.value, kOrigin);
      continue;
    }
    if (!argument.starts_with("--")) {
      fail_usage("{}: {} needs a value: {}=...", kOrigin, key.full_name(), key.full_name());
    }
    const bool next_is_value = i + 1 < arguments.size() && !looks_like_override(arguments[i + 1]);
    if (is_boolean(key) && (!next_is_value || (arguments[i + 1] != "true" && arguments[i + 1] != "false"))) {
      keys.set(section, name, true, kOrigin);
      continue;
    }
    if (!next_is_value) {
      fail_usage("{}: --{} needs a value behind it: expected {}", kOrigin, key.full_name(), expectation(key));
    }
    keys.set_from_text(section, name, arguments[++i], kOrigin);
  }
}

bool parse_arguments(KeyTable& keys, const Program& program, std::span<const std::string> arguments) {
  std::vector<std::string> rest(arguments.begin(), arguments.end());
  if (std::find_if(rest.begin(), rest.end(), [](const auto& a) { return a == "--help" || a == "-h"; }) != rest.end()) {
    const std::string help = help_text(keys, program);
    std::fwrite(help.data(), 1, help.size(), stdout);
    return false;
  }
  for (const std::string& path : extract_configs(rest)) {
    read_config_file(keys, path);
  }
  apply_overrides(keys, rest);
  return true;
}

}  // namespace rhea
