#include "rhea/config/file_readers.h"

#include "rhea/core/error.h"

#include <string>

namespace rhea {

void read_config_file(KeyTable& keys, const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".toml") {
    return read_toml(keys, path);
  }
  if (extension == ".yaml" || extension == ".yml") {
    return read_yaml(keys, path);
  }
  fail_usage("{}: a configuration is a .toml or .yaml file", path.string());
}

}  // namespace rhea
