#include "cli/commands.h"
#include "rhea/core/error.h"

#include <algorithm>
#include <cstdio>

namespace rhea::cli {

bool wants_help(const Arguments& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const auto& a) { return a == "--help" || a == "-h"; });
}

int print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitDone;
}

std::string take_option(Arguments& arguments, std::string_view name, std::string otherwise) {
  Arguments rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == name) {
      if (i + 1 == arguments.size()) {
        fail_usage("command line: {} needs a value behind it", name);
      }
      otherwise = arguments[++i];
    } else if (argument.size() > name.size() && argument.starts_with(name) && argument[name.size()] == '=') {
      otherwise = argument.substr(name.size() + 1);
    } else {
      rest.push_back(argument);
    }
  }
  arguments = std::move(rest);
  return otherwise;
}

bool take_flag(Arguments& arguments, std::string_view name) {
  return std::erase(arguments, std::string(name)) > 0;
}

}  // namespace rhea::cli
