#include "cli/build_recipe.h"
#include "cli/commands.h"
#include "cli/launcher.h"
#include "cli/share.h"
#include "rhea/config/recipes.h"
#include "rhea/core/edit_distance.h"
#include "rhea/core/error.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace rhea::cli {
namespace {

constexpr const char* kUsage =
    "usage: rhea run RECIPE [--nproc N] [--config CONFIG] [section.key=value ...]\n\n"
    "RECIPE is a built-in recipe (rhea ls) or the path of a .cpp, which is built first. RECIPE --help lists its keys.\n"
    "--nproc N starts N ranks on this machine; under torchrun, srun or mpirun leave it out.\n"
    "CONFIG is a .toml or .yaml file or a name from rhea ls. LOG_RANK=R shows rank R's output, LOG_RANK=all everybody's.\n";

int parse_count(std::string_view what, const std::string& text, int least) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > 4096) {
    fail_usage("{}: expected an integer from {} to 4096, got \"{}\"", what, least, text);
  }
  return value;
}

// "--config NAME" with the name's path in its place, so that recipes need not know where configurations lie.
void resolve_configs(Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--config" && i + 1 < arguments.size()) {
      arguments[i + 1] = find_config(arguments[i + 1]).string();
      ++i;
    } else if (arguments[i].starts_with("--config=")) {
      arguments[i] = "--config=" + find_config(arguments[i].substr(9)).string();
    }
  }
}

int shown_rank() {
  const char* text = std::getenv("LOG_RANK");
  if (text == nullptr || *text == '\0') {
    return 0;
  }
  return std::string_view(text) == "all" ? -1 : parse_count("environment: LOG_RANK", text, 0);
}

std::filesystem::path program_of(const std::string& recipe, const Arguments& arguments, bool& only_help) {
  if (is_builtin_recipe(recipe)) {
    only_help = !check_recipe_arguments(recipe, arguments);
    return only_help ? std::filesystem::path() : sibling_program(recipe);
  }
  if (recipe.ends_with(".cpp") || recipe.find('/') != std::string::npos) {
    if (!std::filesystem::is_regular_file(recipe)) {
      fail_usage("recipe {}: there is no such file", recipe);
    }
    return build_recipe(recipe);
  }
  std::vector<std::string> names;
  for (const RecipeInfo& info : builtin_recipes()) {
    names.push_back(info.name);
  }
  fail_usage("there is no recipe \"{}\"{} A file of your own is named with its path: ./{}.cpp", recipe,
             did_you_mean(recipe, names), recipe);
}

}  // namespace

int run(const Arguments& given) {
  if (given.empty() || given[0] == "--help" || given[0] == "-h") {
    print(kUsage);
    return given.empty() ? kExitUsage : kExitDone;
  }
  const std::string& recipe = given[0];
  Arguments arguments(given.begin() + 1, given.end());
  const std::string nproc = take_option(arguments, "--nproc");
  const int ranks = nproc.empty() ? 1 : parse_count("--nproc", nproc, 1);
  if (!wants_help(arguments)) {
    resolve_configs(arguments);
  }
  bool only_help = false;
  const std::filesystem::path program = program_of(recipe, arguments, only_help);
  if (only_help) {
    return kExitDone;
  }
  if (ranks == 1) {
    exec_program(program, arguments);
  }
  if (std::getenv("WORLD_SIZE") != nullptr) {
    fail_usage("--nproc {}: WORLD_SIZE is set, so another launcher has started this already; leave --nproc out", ranks);
  }
  return launch({.program = program, .arguments = arguments, .ranks = ranks, .shown_rank = shown_rank()});
}

}  // namespace rhea::cli
