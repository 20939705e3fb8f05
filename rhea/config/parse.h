// A program's command line: defaults <- --config file <- overrides.
//
//   section.key=value   --section.key=value   --section.key value   --section.key (a boolean: true)
//
// A value may contain "="; lists are written a,b or [a, b]; of a key given twice the last counts.
//
//   struct MyConfig {
//     PretrainConfig base;
//     MySection mine;
//     void declare(KeyTable& keys) { base.declare(keys); mine.declare(keys); }
//   };
//   MyConfig config;
//   if (!parse_config(config, {"my_recipe", "what it does"}, argc, argv)) return 0;
#pragma once

#include "rhea/config/key_table.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct Program {
  std::string name;
  std::string summary;
};

// Reads the arguments (without the program's name) into the table. False, after printing help to standard output, when
// --help or -h is among them. Throws UsageError that names the place.
bool parse_arguments(KeyTable& keys, const Program& program, std::span<const std::string> arguments);

// "section.key=value" in any of its forms, applied to the table.
void apply_overrides(KeyTable& keys, std::span<const std::string> arguments);

template <class Config>
KeyTable key_table_of(Config& config) {
  KeyTable keys;
  config.declare(keys);
  return keys;
}

template <class Config>
bool parse_config(Config& config, const Program& program, int argc, char** argv) {
  KeyTable keys = key_table_of(config);
  return parse_arguments(keys, program, std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}

// The whole configuration as a TOML file that reads back to the same values.
std::string to_toml(const KeyTable& keys);
template <class Config>
std::string config_to_toml(Config config) {
  return to_toml(key_table_of(config));
}

// --help: every section and key with default, limits and meaning.
std::string help_text(const KeyTable& keys, const Program& program);
// The same as a Markdown page.
std::string help_markdown(const KeyTable& keys, const Program& program);

}  // namespace rhea
