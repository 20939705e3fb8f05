#include "cli/commands.h"
#include "cli/share.h"
#include "rhea/config/recipes.h"
#include "rhea/core/error.h"

namespace rhea::cli {

int validate(const Arguments& given) {
  constexpr const char* kUsage =
      "usage: rhea validate CONFIG [section.key=value ...]\n\n"
      "Checks every key, builds the model's shapes (no memory), and prints parameters, FLOPs a token, the memory of a rank by\n"
      "kind, and whether batch and ranks divide. WORLD_SIZE=N plans for N ranks.\n";
  if (given.empty() || wants_help(given)) {
    print(kUsage);
    return given.empty() ? kExitUsage : kExitDone;
  }
  Arguments arguments = {"--config", find_config(given[0]).string()};
  arguments.insert(arguments.end(), given.begin() + 1, given.end());
  check_plan_arguments(arguments);
  exec_program(sibling_program("validate"), arguments);
}

}  // namespace rhea::cli
