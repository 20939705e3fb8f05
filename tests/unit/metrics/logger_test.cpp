#include "rhea/metrics/logger.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "tests/unit/core/temporary_folder.h"

#include <gtest/gtest.h>

namespace rhea {
namespace {

class LoggerTest : public ::testing::Test {
 protected:
  LoggerOptions options() const {
    LoggerOptions chosen;
    chosen.jsonl = folder_.path() / "metrics.jsonl";
    chosen.tensorboard = folder_.path() / "tb";
    chosen.progress = ShowProgress::kOff;
    return chosen;
  }
  static void log_both(Logger& logger) {
    StepMetrics step;
    step.step = 1;
    logger.log(step);
    ValidationMetrics validation;
    validation.step = 1;
    logger.log(validation);
    logger.show_progress(1, 0.5);
    logger.close();
  }
  testing::TemporaryFolder folder_;
};

TEST_F(LoggerTest, WritesToAllThatWereChosen) {
  ::testing::internal::CaptureStderr();
  log_both(*build_logger(options()));
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("INFO  step:  1  loss:  0.00000  grad_norm:"), std::string::npos) << log;
  EXPECT_NE(log.find("INFO  validate step:  1  loss:"), std::string::npos) << log;
  const std::string lines = read_file(folder_.path() / "metrics.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  EXPECT_FALSE(std::filesystem::is_empty(folder_.path() / "tb"));
}

TEST_F(LoggerTest, OtherRanksWriteNothing) {
  LoggerOptions chosen = options();
  chosen.rank = 1;
  chosen.progress = ShowProgress::kOn;
  ::testing::internal::CaptureStderr();
  log_both(*build_logger(chosen));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(LoggerTest, WhatWasNotChosenStaysAway) {
  LoggerOptions chosen;
  chosen.console = false;
  chosen.progress = ShowProgress::kOff;
  ::testing::internal::CaptureStderr();
  log_both(*build_logger(chosen));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(LoggerTest, TheBarIsGoneAtTheEnd) {
  LoggerOptions chosen;
  chosen.console = false;
  chosen.progress = ShowProgress::kOn;
  ::testing::internal::CaptureStderr();
  log_both(*build_logger(chosen));
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("\r 50%"), std::string::npos) << log;
  EXPECT_TRUE(log.ends_with("\r\033[K")) << log;
}

TEST_F(LoggerTest, AResumedRunGoesOnInItsFile) {
  write_file_atomically(folder_.path() / "metrics.jsonl", "{\"step\":4}\n{\"step\":5}\n");
  LoggerOptions chosen = options();
  chosen.resume_step = 4;
  build_logger(chosen)->close();
  EXPECT_EQ(read_file(folder_.path() / "metrics.jsonl"), "{\"step\":4}\n");
}

}  // namespace
}  // namespace rhea
