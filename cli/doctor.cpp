#include "cli/commands.h"
#include "cli/share.h"
#include "rhea/core/error.h"
#include "rhea/metrics/memory.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace rhea::cli {
namespace {

std::string cpu_line(std::string_view key) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with(key)) {
      return line.substr(std::min(line.find(':') + 2, line.size()));
    }
  }
  return "";
}

std::string vector_instructions() {
  const std::string flags = " " + cpu_line("flags") + " ";
  std::string found;
  for (const char* name : {"avx2", "avx512f", "avx512_bf16", "amx_bf16"}) {
    if (flags.find(fmt::format(" {} ", name)) != std::string::npos) {
      found += (found.empty() ? "" : ", ") + std::string(name);
    }
  }
  return found.empty() ? "none of avx2, avx512f, avx512_bf16, amx_bf16" : found;
}

std::string rendezvous() {
  std::string text;
  for (const char* name : {"RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    const char* value = std::getenv(name);
    text += fmt::format("  {:<14} {}\n", name, value != nullptr ? value : "not set");
  }
  const char* size = std::getenv("WORLD_SIZE");
  if (size == nullptr) {
    return text + "  -> one rank (rhea run --nproc N sets these for N)\n";
  }
  const bool complete =
      std::getenv("RANK") != nullptr && std::getenv("MASTER_ADDR") != nullptr && std::getenv("MASTER_PORT") != nullptr;
  return text + (complete ? "  -> complete\n" : "  -> not complete: RANK, MASTER_ADDR and MASTER_PORT go with WORLD_SIZE\n");
}

}  // namespace

int doctor(const Arguments& arguments) {
  if (wants_help(arguments)) {
    return print(
        "usage: rhea doctor\n\nSays what this machine, this build and the rendezvous environment can do, with measured GEMM "
        "peaks.\n");
  }
  const double disk = static_cast<double>(std::filesystem::space(".").available) / (1 << 30);
  print(
      fmt::format("machine\n"
                  "  processor      {}\n"
                  "  cores          {}\n"
                  "  instructions   {}\n"
                  "  memory         {:.1f} GiB\n"
                  "  disk here      {:.1f} GiB free\n"
                  "rendezvous\n{}",
                  cpu_line("model name"), std::thread::hardware_concurrency(), vector_instructions(), total_memory_gib(), disk,
                  rendezvous()));
  std::fflush(stdout);
  exec_program(sibling_program("doctor"), {});
}

}  // namespace rhea::cli
