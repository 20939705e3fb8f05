// Several ranks of one program on this machine: what `rhea run --nproc N` does.
//
// The first rank that fails ends the job: the others get SIGTERM, and SIGKILL ten seconds later. SIGINT and SIGTERM are
// passed on. When the launcher itself is killed, the kernel ends its ranks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rhea::cli {

struct LaunchOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  int ranks = 1;
  int shown_rank = 0;  // whose output is shown; the others' is kept, its end shown for the one that fails first; -1: all
  int port = 0;        // MASTER_PORT; 0: a free one
};

// Runs all ranks to their end. 0 when all ended with 0, else the status of the first that failed, after a message that
// names it.
int launch(const LaunchOptions& options);

}  // namespace rhea::cli
