#include "cli/build_recipe.h"

#include "cli/share.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/core/log.h"
#include "rhea/core/random.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace rhea::cli {
namespace {

namespace fs = std::filesystem;

// The compile command that CMake wrote, in two lines: what stands before "SOURCE -o PROGRAM", and what stands behind.
struct CompileCommand {
  std::string before, behind, library;
};

CompileCommand read_compile_command() {
  const fs::path bin = program_folder();
  for (const fs::path& path : {bin.parent_path() / "recipe_command.txt", bin.parent_path() / "share/rhea/recipe_command.txt"}) {
    if (!fs::exists(path)) {
      continue;
    }
    const std::string text = read_file(path);
    const auto first = text.find('\n'), second = text.find('\n', first + 1), third = text.find('\n', second + 1);
    if (third == std::string::npos) {
      fail("{}: expected three lines: compiler and flags, libraries, the library's path; configure again", path.string());
    }
    return {text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1, third - second - 1)};
  }
  fail("recipe_command.txt is not beside {}: configure and build Rhea again", bin.string());
}

fs::path cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0') {
    return fs::path(xdg) / "rhea" / "recipes";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/tmp") / ".cache" / "rhea" / "recipes";
}

// When the library was last written, to the nanosecond: a program built against another one is built again.
std::string stamp_of(const std::string& library) {
  struct stat status{};
  if (stat(library.c_str(), &status) != 0) {
    fail("{} is not there: build Rhea first", library);
  }
  return fmt::format("{}.{}.{}", status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size);
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return text + "'";
}

}  // namespace

fs::path build_recipe(const fs::path& source) {
  const CompileCommand command = read_compile_command();
  const std::string text = read_file(source, 16 << 20);
  const std::string identity = fmt::format("{}\n{}\n{}\n{}\n{}", text, command.before, command.behind, stamp_of(command.library),
                                           fs::weakly_canonical(source).string());
  const fs::path program = cache_folder() / fmt::format("{}-{:016x}", source.stem().string(), hash_name(identity));
  if (fs::exists(program)) {
    return program;
  }
  make_folder(cache_folder());
  log_info("building {}", source.string());
  // Beside, then renamed: a build that is cut short leaves no program behind.
  const fs::path unfinished = fmt::format("{}.tmp-{}", program.string(), getpid());
  const std::string line =
      fmt::format("{} {} -o {} {}", command.before, quoted(source.string()), quoted(unfinished.string()), command.behind);
  const int status = std::system(line.c_str());
  if (status != 0) {
    fs::remove(unfinished);
    fail("{} does not compile (see above); RECIPE sources are plain C++20 against #include <rhea/...>", source.string());
  }
  fs::rename(unfinished, program);
  return program;
}

}  // namespace rhea::cli
