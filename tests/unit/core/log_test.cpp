#include "rhea/core/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <thread>
#include <vector>

namespace rhea {
namespace {

std::string logged(const auto& f) {
  ::testing::internal::CaptureStderr();
  f();
  return ::testing::internal::GetCapturedStderr();
}

TEST(Log, OneLineWithTimeAndLevel) {
  std::string line = logged([] { log_warning("{} of {}", "three", "four"); });
  std::replace_if(line.begin(), line.end(), [](unsigned char c) { return std::isdigit(c) != 0; }, '0');
  EXPECT_EQ(line, "[rhea] 0000-00-00 00:00:00 WARN  three of four\n");
}

TEST(Log, OtherRanksSpeakOnlyOfTrouble) {
  const std::string text = logged([] {
    set_log_rank(3);
    log_info("quiet");
    log_error("loud");
    set_log_rank(0);
  });
  EXPECT_EQ(text.find("quiet"), std::string::npos);
  EXPECT_NE(text.find("ERROR rank 3: loud\n"), std::string::npos) << text;
}

TEST(Log, StepsAroundAStatusLine) {
  std::string calls;
  const std::string text = logged([&calls] {
    set_log_interruption({.before = [](void* context) { *static_cast<std::string*>(context) += "before "; },
                          .after = [](void* context) { *static_cast<std::string*>(context) += "after "; },
                          .context = &calls});
    log_info("x");
    set_log_interruption({});
    log_info("y");
  });
  EXPECT_EQ(calls, "before after ");
}

TEST(Log, LinesOfThreadsStayWhole) {
  const std::string text = logged([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 50; ++i) {
          log_info("{}", std::string(200, 'x'));
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  });
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < text.size(); ++lines) {
    const std::size_t end = text.find('\n', begin);
    ASSERT_TRUE(text.substr(begin, end - begin).starts_with("[rhea] "));
    ASSERT_TRUE(text.substr(begin, end - begin).ends_with(" INFO  " + std::string(200, 'x')));
    begin = end + 1;
  }
  EXPECT_EQ(lines, 200U);
}

}  // namespace
}  // namespace rhea
