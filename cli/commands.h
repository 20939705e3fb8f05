// The commands of `rhea`. Each takes what stands behind its name and gives the exit status; errors are Errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rhea::cli {

using Arguments = std::vector<std::string>;

int run(const Arguments& arguments);
int list(const Arguments& arguments);
int copy(const Arguments& arguments);
int cat(const Arguments& arguments);
int validate(const Arguments& arguments);
int doctor(const Arguments& arguments);
int plot(const Arguments& arguments);
int tokenize(const Arguments& arguments);
int docs(const Arguments& arguments);

// Whether the arguments ask for help; each command prints its own `usage` then.
bool wants_help(const Arguments& arguments);
int print(std::string_view text);  // to standard output; status 0

// Takes "--name VALUE" or "--name=VALUE" out of the arguments; gives the last value, or `otherwise`. Throws UsageError if
// the value is missing.
std::string take_option(Arguments& arguments, std::string_view name, std::string otherwise = {});
// Takes "--name" out; whether it was there.
bool take_flag(Arguments& arguments, std::string_view name);

}  // namespace rhea::cli
