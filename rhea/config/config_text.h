// The text of a configuration file.
#pragma once

#include <filesystem>
#include <string>

namespace rhea {

// Throws UsageError (exit 2: the user chose the file) for a file that cannot be read, is over 1 MiB or no UTF-8.
std::string read_config_text(const std::filesystem::path& path);

}  // namespace rhea
