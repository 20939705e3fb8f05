// Reading a configuration file into a KeyTable. Errors cite file and line.
#pragma once

#include <filesystem>

namespace rhea {

class KeyTable;

// By the file's ending: .toml, .yaml or .yml. Throws UsageError for anything else, a missing file, a file over 1 MiB,
// a syntax error, and whatever KeyTable::set refuses.
void read_config_file(KeyTable& keys, const std::filesystem::path& path);

void read_toml(KeyTable& keys, const std::filesystem::path& path);
void read_yaml(KeyTable& keys, const std::filesystem::path& path);

}  // namespace rhea
