#include "rhea/config/config_text.h"
#include "rhea/config/file_readers.h"
#include "rhea/config/key_table.h"
#include "rhea/core/error.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rhea {
namespace {

std::string place(const std::filesystem::path& path, const YAML::Node& node) {
  return fmt::format("{}:{}", path.string(), node.Mark().line + 1);
}

std::string name_of(const YAML::Node& node, const std::string& origin, std::string_view what) {
  if (!node.IsScalar()) {
    fail_usage("{}: expected the name of {}, got {}", origin, what, node.IsNull() ? "nothing" : "a list or a map");
  }
  return node.Scalar();
}

void set_scalar(KeyTable& keys, std::string_view section, std::string_view name, const YAML::Node& node,
                const std::string& origin) {
  // A quoted scalar has the tag "!": it is text, whatever it looks like.
  if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") {
    keys.set(section, name, node.Scalar(), origin);
  } else {
    keys.set_from_text(section, name, node.Scalar(), origin);
  }
}

void set_sequence(KeyTable& keys, std::string_view section, std::string_view name, const YAML::Node& node,
                  const std::string& origin) {
  std::vector<std::string> list;
  for (const YAML::Node& element : node) {
    if (!element.IsScalar()) {
      const Key& key = keys.require_key(section, name, origin);
      fail_usage("{}: {}: expected {}, got a nested list or map", origin, key.full_name(), expectation(key));
    }
    list.push_back(element.Scalar());
  }
  keys.set(section, name, list, origin);
}

void read_section(KeyTable& keys, const std::filesystem::path& path, const std::string& section, const YAML::Node& node) {
  std::vector<std::string> seen;
  for (const auto& entry : node) {
    const std::string origin = place(path, entry.first);
    const std::string name = name_of(entry.first, origin, "a key");
    const Key& key = keys.require_key(section, name, origin);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      fail_usage("{}: {} is given twice", origin, key.full_name());
    }
    seen.push_back(name);
    if (entry.second.IsScalar()) {
      set_scalar(keys, section, name, entry.second, origin);
    } else if (entry.second.IsSequence()) {
      set_sequence(keys, section, name, entry.second, origin);
    } else {
      fail_usage("{}: {}: expected {}, got {}", origin, key.full_name(), expectation(key),
                 entry.second.IsNull() ? "nothing" : "a map");
    }
  }
}

void read_document(KeyTable& keys, const std::filesystem::path& path, const YAML::Node& document) {
  if (document.IsNull()) {
    return;  // nothing but comments
  }
  if (!document.IsMap()) {
    fail_usage("{}:1: expected sections (\"training:\" and the like), got a {}", path.string(),
               document.IsScalar() ? "single value" : "list");
  }
  std::vector<std::string> seen;
  for (const auto& entry : document) {
    const std::string origin = place(path, entry.first);
    const std::string section = name_of(entry.first, origin, "a section");
    keys.require_section(section, origin);
    if (std::find(seen.begin(), seen.end(), section) != seen.end()) {
      fail_usage("{}: section \"{}\" is given twice", origin, section);
    }
    seen.push_back(section);
    if (entry.second.IsNull()) {
      continue;
    }
    if (!entry.second.IsMap()) {
      fail_usage("{}: \"{}\" is a section: write its keys indented below it", origin, section);
    }
    read_section(keys, path, section, entry.second);
  }
}

}  // namespace

void read_yaml(KeyTable& keys, const std::filesystem::path& path) {
  const std::string text = read_config_text(path);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1) {
      fail_usage("{}: {} YAML documents in one file, separated by ---; a configuration is one", path.string(), documents.size());
    }
    if (!documents.empty()) {
      read_document(keys, path, documents.front());
    }
  } catch (const YAML::DeepRecursion& error) {
    fail_usage("{}:{}: nested deeper than a configuration can be", path.string(), error.mark.line + 1);
  } catch (const YAML::Exception& error) {
    fail_usage("{}:{}:{}: {}", path.string(), error.mark.line + 1, error.mark.column + 1, error.msg);
  }
}

}  // namespace rhea
