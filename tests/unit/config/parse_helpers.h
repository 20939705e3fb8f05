// Parsing in tests: files made on the spot, arguments as text.
#pragma once

#include "rhea/config/parse.h"
#include "rhea/config/pretrain_config.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "tests/unit/core/temporary_folder.h"

#include <string>
#include <vector>

namespace rhea::testing {

inline bool parse(auto& config, const std::vector<std::string>& arguments) {
  KeyTable keys = key_table_of(config);
  return parse_arguments(keys, {"pretrain", "train"}, arguments);
}

// A configuration file of this text; NAME's ending says which format.
class ConfigFile {
 public:
  ConfigFile(const std::string& name, std::string_view text) : path_(folder_ / name) { write_file_atomically(path_, text); }
  std::string path() const { return path_.string(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

inline PretrainConfig parsed(const std::string& name, std::string_view text, std::vector<std::string> arguments = {}) {
  const ConfigFile file(name, text);
  arguments.insert(arguments.begin(), {"--config", file.path()});
  PretrainConfig config;
  parse(config, arguments);
  return config;
}

// The UsageError's message, with the file's folder taken out.
inline std::string refusal(const std::string& name, std::string_view text) {
  const ConfigFile file(name, text);
  std::string message = message_of<UsageError>([&] {
    PretrainConfig config;
    parse(config, {"--config", file.path()});
  });
  const std::string folder = std::filesystem::path(file.path()).parent_path().string() + "/";
  for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
    message.erase(at, folder.size());
  }
  return message;
}

inline std::string refusal(const std::vector<std::string>& arguments) {
  return message_of<UsageError>([&] {
    PretrainConfig config;
    parse(config, arguments);
  });
}

}  // namespace rhea::testing
