#include "rhea/core/stop_signal.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace rhea {
namespace {

// Each in a process of its own: the flag belongs to the process and never goes back.
int after_signals(std::initializer_list<int> signals) {
  install_stop_signals();
  if (stop_requested()) {
    return 1;
  }
  for (const int number : signals) {
    raise(number);
  }
  return stop_requested() ? 42 : 2;
}

TEST(StopSignalDeathTest, TheFirstSetsAFlag) {
  EXPECT_EXIT(_exit(after_signals({SIGINT})), ::testing::ExitedWithCode(42), "");
  EXPECT_EXIT(_exit(after_signals({SIGTERM})), ::testing::ExitedWithCode(42), "");
}

TEST(StopSignalDeathTest, TheSecondEndsTheProcess) {
  EXPECT_EXIT(_exit(after_signals({SIGINT, SIGINT})), ::testing::ExitedWithCode(128 + SIGINT), "");
  EXPECT_EXIT(_exit(after_signals({SIGINT, SIGTERM})), ::testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST(StopSignalDeathTest, WithoutInstallingTheSystemsOwnRuleHolds) {
  EXPECT_EXIT(
      {
        raise(SIGTERM);
        _exit(0);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace rhea
