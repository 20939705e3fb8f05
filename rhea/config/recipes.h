// The recipes that come with Rhea and the keys they know, for programs that check a configuration without starting one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct RecipeInfo {
  std::string name;
  std::string summary;
};

const std::vector<RecipeInfo>& builtin_recipes();
bool is_builtin_recipe(std::string_view name);

// Parses arguments as the recipe itself would. False after printing --help. Throws UsageError as the recipe would.
bool check_recipe_arguments(std::string_view name, std::span<const std::string> arguments);

// The same for a pre-training run that is only planned (`rhea validate`): its data need not be named yet.
bool check_plan_arguments(std::span<const std::string> arguments);

// docs/config.md: every key of every recipe.
std::string config_documentation();

}  // namespace rhea
