#include "rhea/core/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace rhea {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int number) {
  if (requested.exchange(true)) {
    _exit(128 + number);
  }
}

}  // namespace

void install_stop_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() {
  return requested.load();
}

}  // namespace rhea
