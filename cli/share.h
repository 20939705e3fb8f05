// Where things lie: the programs beside this one, and recipes and configurations in the working directory, in the source
// tree, or where `cmake --install` put them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rhea::cli {

// The folder of this very program.
std::filesystem::path program_folder();
// "rhea-NAME" beside this program. Throws Error when it is not there (not built).
std::filesystem::path sibling_program(std::string_view name);

// The folders that hold recipes/ and configs/, nearest first: the working directory, then the source tree or the
// installation.
std::vector<std::filesystem::path> share_folders();

// A configuration by path or by short name ("llama3/debugmodel"). Throws UsageError with the nearest names.
std::filesystem::path find_config(std::string_view name);
// All configurations by short name, sorted.
std::vector<std::pair<std::string, std::filesystem::path>> all_configs();

// The source of a built-in recipe. Throws Error when it is not there.
std::filesystem::path find_recipe_source(std::string_view name);

// Replaces this process. Throws Error when it cannot.
[[noreturn]] void exec_program(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace rhea::cli
