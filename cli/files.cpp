// ls, cp and cat: what comes with Rhea, to look at and to take.
#include "rhea/core/files.h"
#include "cli/commands.h"
#include "cli/share.h"
#include "rhea/config/recipes.h"
#include "rhea/core/error.h"

#include <filesystem>

namespace rhea::cli {
namespace {

namespace fs = std::filesystem;

// A configuration says in its first line what it is.
std::string first_comment(const fs::path& path) {
  const std::string text = read_file(path, 1 << 20);
  const std::string line = text.substr(0, text.find('\n'));
  return line.starts_with("# ") ? line.substr(2) : "";
}

void require_one(const Arguments& arguments, std::size_t count, std::string_view usage) {
  if (arguments.size() != count) {
    fail_usage("expected {} argument{}\n{}", count, count == 1 ? "" : "s", usage);
  }
}

}  // namespace

int list(const Arguments& arguments) {
  constexpr const char* kUsage =
      "usage: rhea ls\n\nLists the recipes and the configurations that come with Rhea or lie in ./configs.\n";
  if (wants_help(arguments)) {
    return print(kUsage);
  }
  require_one(arguments, 0, kUsage);
  std::string text = "recipes (rhea run NAME, rhea cp NAME mine.cpp)\n";
  for (const RecipeInfo& recipe : builtin_recipes()) {
    text += fmt::format("  {:<24} {}\n", recipe.name, recipe.summary);
  }
  text += "\nconfigurations (rhea run pretrain --config NAME, rhea cat NAME)\n";
  for (const auto& [name, path] : all_configs()) {
    text += fmt::format("  {:<24} {}\n", name, first_comment(path));
  }
  return print(text);
}

int copy(const Arguments& given) {
  constexpr const char* kUsage =
      "usage: rhea cp RECIPE_OR_CONFIG DESTINATION [--force]\n\n"
      "Copies a recipe's source or a configuration, to change it. A folder as DESTINATION keeps the name.\n";
  if (wants_help(given)) {
    return print(kUsage);
  }
  Arguments arguments = given;
  const bool force = take_flag(arguments, "--force");
  require_one(arguments, 2, kUsage);
  const fs::path source = is_builtin_recipe(arguments[0]) ? find_recipe_source(arguments[0]) : find_config(arguments[0]);
  fs::path destination = arguments[1];
  if (fs::is_directory(destination)) {
    destination /= source.filename();
  } else if (!destination.has_extension()) {
    destination.replace_extension(source.extension());
  }
  if (fs::exists(destination) && !force) {
    fail_usage("{} is there already; --force replaces it", destination.string());
  }
  write_file_atomically(destination, read_file(source));
  return print(fmt::format("{} -> {}\n", arguments[0], destination.string()));
}

int cat(const Arguments& arguments) {
  constexpr const char* kUsage = "usage: rhea cat CONFIG\n\nPrints a configuration, by path or by its name in rhea ls.\n";
  if (wants_help(arguments)) {
    return print(kUsage);
  }
  require_one(arguments, 1, kUsage);
  return print(read_file(find_config(arguments[0])));
}

int docs(const Arguments& arguments) {
  if (wants_help(arguments)) {
    return print("usage: rhea docs\n\nPrints docs/config.md: every key of every recipe.\n");
  }
  return print(config_documentation());
}

}  // namespace rhea::cli
