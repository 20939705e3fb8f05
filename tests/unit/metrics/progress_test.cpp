#include "rhea/core/log.h"
#include "rhea/metrics/progress_bar.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <thread>
#include <vector>

namespace rhea {
namespace {

ProgressStatus example() {
  return {.step = 420, .total_steps = 1000, .share = 0.42, .loss = 2.7475, .tokens_per_second = 2330.0, .seconds_left = 3723.0};
}

int columns_of(const std::string& line) {
  int count = 0;
  for (const char byte : line) {
    count += (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U ? 1 : 0;
  }
  return count;
}

TEST(ProgressLine, ShowsShareStepsLossSpeedAndTimeLeft) {
  EXPECT_EQ(progress_line(example(), 80), " 42% ██████████▌              ▏ 420/1000  loss 2.7475  2,330 tok/s  ETA 1:02:03");
}

TEST(ProgressLine, NeverWiderThanTheTerminal) {
  for (int width = 1; width <= 200; ++width) {
    EXPECT_LE(columns_of(progress_line(example(), width)), width);
  }
}

TEST(ProgressLine, LosesTheBarThenItsMiddleWhenNarrow) {
  EXPECT_EQ(progress_line(example(), 60), " 42%  420/1000  loss 2.7475  2,330 tok/s  ETA 1:02:03");
  EXPECT_EQ(progress_line(example(), 30), " 42%  420/1000 …s  ETA 1:02:03");
}

TEST(ProgressLine, WithoutALimitOfStepsShowsTheShareOnly) {
  ProgressStatus status = example();
  status.total_steps = 0;
  status.loss = std::numeric_limits<double>::quiet_NaN();
  status.tokens_per_second = 0.0;
  status.seconds_left = -1.0;
  EXPECT_EQ(progress_line(status, 20), " 42%  step…ETA --:--");
  EXPECT_EQ(progress_line(status, 30), " 42%  step 420  ETA --:--");
}

TEST(ProgressLine, TakesAnyShare) {
  for (const double share : {-1.0, 0.0, 1.0, 7.0, std::numeric_limits<double>::quiet_NaN()}) {
    ProgressStatus status = example();
    status.share = share;
    EXPECT_LE(columns_of(progress_line(status, 100)), 100);
  }
}

TEST(ClockText, GrowsWithTheTime) {
  EXPECT_EQ(clock_text(0.4), "0:00");
  EXPECT_EQ(clock_text(62.0), "1:02");
  EXPECT_EQ(clock_text(3723.0), "1:02:03");
  EXPECT_EQ(clock_text(200000.0), "2d 7:33:20");
  EXPECT_EQ(clock_text(-1.0), "--:--");
  EXPECT_EQ(clock_text(std::numeric_limits<double>::quiet_NaN()), "--:--");
  EXPECT_EQ(clock_text(1e300), "--:--");
}

TEST(ElideMiddle, CutsAtCodePoints) {
  EXPECT_EQ(elide_middle("abcdef", 6), "abcdef");
  EXPECT_EQ(elide_middle("abcdef", 5), "ab…ef");
  EXPECT_EQ(elide_middle("äöüäöü", 4), "äö…ü");
  EXPECT_EQ(elide_middle("abc", 1), "…");
  EXPECT_EQ(elide_middle("abc", 0), "");
}

TEST(TimeLeft, IsTheMedianPaceTimesWhatIsLeft) {
  TimeLeft left;
  EXPECT_LT(left.seconds(0.0), 0.0);
  double now = 100.0;
  left.update(0.0, now);
  for (int step = 1; step <= 5; ++step) {
    now += step == 1 ? 60.0 : 2.0;  // a slow first step
    left.update(step / 100.0, now);
  }
  EXPECT_NEAR(left.seconds(0.05), 95 * 2.0, 1e-6);
}

TEST(TimeLeft, StepsThatDoNotMoveOnCountToTheNext) {
  TimeLeft left;
  left.update(0.0, 0.0);
  left.update(0.0, 1.0);
  left.update(0.5, 2.0);
  EXPECT_DOUBLE_EQ(left.seconds(0.5), 2.0);
}

// A pipe in the terminal's place.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  int in() const { return ends_[1]; }
  std::string read_all() const {
    std::string bytes(65536, '\0');
    const ssize_t count = ::read(ends_[0], bytes.data(), bytes.size());
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(ProgressBar, RewritesOneLineAndClearsItAtTheEnd) {
  const Pipe terminal;
  ProgressBar bar(terminal.in());
  ProgressStatus status = example();
  bar.update(status, 0.0);
  const std::string first = terminal.read_all();
  EXPECT_TRUE(first.starts_with("\r 42% ")) << first;
  EXPECT_TRUE(first.ends_with("ETA --:--\033[K")) << first;
  EXPECT_EQ(first.find('\n'), std::string::npos);
  bar.update(status, 0.01);  // too soon to draw again
  status.share = 0.43;
  bar.update(status, 1.0);
  const std::string second = terminal.read_all();
  EXPECT_TRUE(second.starts_with("\r 43% ")) << second;
  bar.close();
  EXPECT_EQ(terminal.read_all(), "\r\033[K");
}

TEST(ProgressBar, StepsAsideForLogLines) {
  const Pipe terminal;
  ProgressBar bar(terminal.in());
  bar.update(example(), 0.0);
  const std::string line = terminal.read_all();
  ::testing::internal::CaptureStderr();
  log_info("hello");
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("hello\n"), std::string::npos);
  EXPECT_EQ(terminal.read_all(), "\r\033[K" + line);
  bar.close();
  EXPECT_EQ(terminal.read_all(), "\r\033[K");
  ::testing::internal::CaptureStderr();
  log_info("after");  // must not touch the closed bar
  ::testing::internal::GetCapturedStderr();
}

TEST(ProgressBar, LogsFromOtherThreadsWhileItMoves) {
  const Pipe terminal;
  ::testing::internal::CaptureStderr();
  {
    ProgressBar bar(terminal.in());
    bar.update(example(), 0.0);
    std::thread other([] {
      for (int i = 0; i < 50; ++i) {
        log_info("line {}", i);
      }
    });
    for (int i = 1; i <= 50; ++i) {
      bar.update(example(), static_cast<double>(i));
    }
    other.join();
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("line 49\n"), std::string::npos);
  EXPECT_TRUE(terminal.read_all().ends_with("\r\033[K"));
}

}  // namespace
}  // namespace rhea
