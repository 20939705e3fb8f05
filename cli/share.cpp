#include "cli/share.h"

#include "rhea/core/edit_distance.h"
#include "rhea/core/error.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

namespace rhea::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

fs::path program_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

fs::path sibling_program(std::string_view name) {
  fs::path program = program_folder() / fmt::format("rhea-{}", name);
  if (access(program.c_str(), X_OK) != 0) {
    fail("{} is not there: build it (./run_train.sh builds all, or ninja -C build rhea-{})", program.string(), name);
  }
  return program;
}

std::vector<fs::path> share_folders() {
  // build/bin/rhea stands two folders below the source tree; PREFIX/bin/rhea beside PREFIX/share/rhea.
  std::vector<fs::path> folders;
  const fs::path bin = program_folder();
  for (const fs::path& folder : {fs::path("."), bin.parent_path().parent_path(), bin.parent_path() / "share" / "rhea"}) {
    if (fs::is_directory(folder / "configs")) {
      folders.push_back(folder);
    }
  }
  return folders;
}

std::vector<std::pair<std::string, fs::path>> all_configs() {
  std::map<std::string, fs::path> configs;
  for (const fs::path& folder : share_folders()) {
    const fs::path root = folder / "configs";
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const fs::path& path = entry.path();
      if (entry.is_regular_file() && (path.extension() == ".toml" || path.extension() == ".yaml")) {
        configs.emplace(fs::relative(path, root).replace_extension().string(), path);
      }
    }
  }
  return {configs.begin(), configs.end()};
}

fs::path find_config(std::string_view name) {
  fs::path as_path(name);
  if (fs::is_regular_file(as_path)) {
    return as_path;
  }
  std::vector<std::string> names;
  for (const auto& [short_name, path] : all_configs()) {
    if (short_name == name || short_name + ".toml" == name || "configs/" + short_name + ".toml" == name) {
      return path;
    }
    names.push_back(short_name);
  }
  fail_usage("configuration {}: there is no such file, and no configuration of that name{} (rhea ls lists them)", name,
             did_you_mean(name, names));
}

fs::path find_recipe_source(std::string_view name) {
  for (const fs::path& folder : share_folders()) {
    fs::path source = folder / "recipes" / fmt::format("{}.cpp", name);
    if (fs::is_regular_file(source)) {
      return source;
    }
  }
  fail("the source of recipe {} is not there: looked in recipes/ of the working directory and beside {}", name,
       program_folder().string());
}

void exec_program(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  fail("{}: cannot start: {}", program.string(), std::strerror(errno));
}

}  // namespace rhea::cli
