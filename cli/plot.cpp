#include "rhea/metrics/plot.h"

#include "cli/commands.h"
#include "rhea/core/error.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace rhea::cli {

int plot(const Arguments& given) {
  constexpr const char* kUsage =
      "usage: rhea plot RUN... [--svg FILE]\n\n"
      "Draws loss, validation loss, learning rate and tokens per second of runs (their folders or metrics.jsonl files), in the\n"
      "terminal, or with --svg as one picture.\n";
  if (given.empty() || wants_help(given)) {
    print(kUsage);
    return given.empty() ? kExitUsage : kExitDone;
  }
  Arguments arguments = given;
  const std::string svg = take_option(arguments, "--svg");
  if (arguments.empty()) {
    fail_usage("rhea plot: name at least one run\n{}", kUsage);
  }
  const std::vector<std::filesystem::path> runs(arguments.begin(), arguments.end());
  if (!svg.empty()) {
    plot_runs_to_svg(runs, svg);
    return print(fmt::format("written to {}\n", svg));
  }
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  winsize size{};
  TerminalPlotOptions options;
  options.colour = terminal && std::getenv("NO_COLOR") == nullptr;
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    options.width = std::clamp<int>(size.ws_col, 40, 160);
  }
  return print(plot_runs(runs, options));
}

}  // namespace rhea::cli
