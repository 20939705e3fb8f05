// rhea: the command line. It does not load libtorch, so help and refusals come at once; what computes is a program of its
// own that this one starts.
#include "cli/commands.h"
#include "rhea/core/edit_distance.h"
#include "rhea/core/error.h"
#include "rhea/core/log.h"

#include <array>
#include <cstdio>
#include <exception>

namespace rhea::cli {
namespace {

struct Command {
  const char* name;
  const char* summary;
  int (*function)(const Arguments&);
};

constexpr std::array<Command, 9> kCommands = {{
    {"run", "run a recipe: a built-in one, or a .cpp of your own, which is built first", run},
    {"ls", "list recipes and configurations", list},
    {"cp", "copy a recipe or a configuration, to change it", copy},
    {"cat", "print a configuration", cat},
    {"validate", "check a configuration and print what it will cost, without allocating the model", validate},
    {"doctor", "say what this machine, build and environment can do", doctor},
    {"plot", "draw the curves of runs", plot},
    {"tokenize", "show tokens, count them, encode a corpus", tokenize},
    {"docs", "print the page of all configuration keys", docs},
}};

std::string help() {
  std::string text = "rhea " RHEA_VERSION
                     ": trains large language models\n\n"
                     "usage: rhea COMMAND [arguments]     (rhea COMMAND --help says more)\n\n";
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  }
  return text +
         "\nexamples:\n"
         "  rhea run pretrain --config llama3/first_run training.steps=100\n"
         "  rhea run pretrain --nproc 2 --config llama3/debugmodel dataset.path=my_texts/\n"
         "  rhea cp pretrain my_pretrain.cpp && rhea run my_pretrain.cpp --config llama3/first_run\n"
         "  rhea run generate generate.checkpoint=outputs generate.prompt=\"a kind of\"\n";
}

int dispatch(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    print(help());
    return arguments.empty() ? kExitUsage : kExitDone;
  }
  if (arguments[0] == "--version") {
    return print("rhea " RHEA_VERSION "\n");
  }
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (arguments[0] == command.name) {
      return command.function(Arguments(arguments.begin() + 1, arguments.end()));
    }
    names.emplace_back(command.name);
  }
  fail_usage("there is no command \"{}\"{}", arguments[0], did_you_mean(arguments[0], names));
}

}  // namespace
}  // namespace rhea::cli

int main(int argc, char** argv) {
  try {
    const int status = rhea::cli::dispatch(rhea::cli::Arguments(argv + 1, argv + argc));
    std::fflush(stdout);
    return status;
  } catch (const rhea::Error& error) {
    rhea::log_error("{}", error.what());
    return error.status();
  } catch (const std::exception& error) {
    rhea::log_error("{}", error.what());
    return rhea::kExitFailed;
  }
}
