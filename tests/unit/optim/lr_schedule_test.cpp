#include "rhea/optim/lr_schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "rhea/core/error.h"

namespace rhea {
namespace {

// A few units in the last place of values up to 1.
constexpr double kTolerance = 1e-15;

std::vector<double> factors(const LrScheduleOptions& options, std::int64_t total) {
  const LrSchedule schedule(options, total);
  std::vector<double> out;
  for (std::int64_t step = 0; step < total; ++step) {
    out.push_back(schedule.factor(step));
  }
  return out;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], kTolerance) << "step " << i;
  }
}

TEST(LrSchedule, TenStepsOfTheDebugModel) {
  expect_near(factors({.warmup_steps = 2, .decay_ratio = 0.8}, 10), {.5, 1.0, 1.0, .875, .75, .625, .5, .375, .25, .125});
}

TEST(LrSchedule, SqrtAndCosineAtQuarters) {
  const double a = 1 - std::sqrt(0.25), b = 1 - std::sqrt(0.5), c = 1 - std::sqrt(0.75);
  expect_near(factors({.warmup_steps = 0, .decay_type = "sqrt"}, 4), {1.0, a, b, c});
  const double d = 0.5 + std::sqrt(0.125), e = 0.5, f = 0.5 - std::sqrt(0.125);
  expect_near(factors({.warmup_steps = 0, .decay_type = "cosine"}, 4), {1.0, d, e, f});
}

TEST(LrSchedule, DecaysToTheMinimum) {
  expect_near(factors({.warmup_steps = 1, .decay_ratio = 0.5, .min_lr_factor = 0.2}, 4), {1.0, 1.0, 1.0, 0.6});
}

TEST(LrSchedule, NoDecayStaysAtOne) {
  expect_near(factors({.warmup_steps = 0, .decay_ratio = 0.0}, 3), {1.0, 1.0, 1.0});
}

TEST(LrSchedule, RoundsHalvesToEven) {
  // 5 * 0.5 = 2.5 -> 2 decay steps, so 4 steps at full rate.
  expect_near(factors({.warmup_steps = 0, .decay_ratio = 0.5}, 5), {1.0, 1.0, 1.0, 1.0, 0.5});
}

TEST(LrSchedule, WarmupLongerThanTheRunIsCutWithAWarning) {
  testing::internal::CaptureStderr();
  expect_near(factors({.warmup_steps = 200}, 4), {.25, .5, .75, 1.0});
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "warmup_steps = 200 is more than the 4 steps", log);
}

TEST(LrSchedule, DecayThatDoesNotFitIsShortenedWithAWarning) {
  testing::internal::CaptureStderr();
  expect_near(factors({.warmup_steps = 2, .decay_ratio = 1.0}, 4), {.5, 1.0, 1.0, .5});
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "the decay is cut to 2", testing::internal::GetCapturedStderr());
}

TEST(LrSchedule, StaysAtTheLastFactorAfterTheEnd) {
  const LrSchedule schedule({.warmup_steps = 0}, 10);
  EXPECT_EQ(schedule.factor(9), schedule.factor(10));
  EXPECT_EQ(schedule.factor(9), schedule.factor(1'000'000));
}

TEST(LrSchedule, NeverZeroOrNegativeInsideTheRun) {
  for (const char* type : {"linear", "sqrt", "cosine"}) {
    for (std::int64_t total = 1; total < 40; ++total) {
      for (std::int64_t warmup = 0; warmup <= total; ++warmup) {
        for (const double factor : factors({.warmup_steps = warmup, .decay_type = type}, total)) {
          ASSERT_GT(factor, 0) << type << " total " << total << " warmup " << warmup;
          ASSERT_LE(factor, 1);
        }
      }
    }
  }
}

TEST(LrSchedule, RefusesWhatIsOutOfRange) {
  const auto refusal = [](const LrScheduleOptions& options, std::int64_t total = 10) -> std::string {
    try {
      LrSchedule(options, total);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no UsageError";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "at least one step", refusal({}, 0));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "lr_scheduler.warmup_steps", refusal({.warmup_steps = -1}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "lr_scheduler.decay_ratio", refusal({.decay_ratio = 1.5}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "lr_scheduler.decay_ratio", refusal({.decay_ratio = nan}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "lr_scheduler.min_lr_factor", refusal({.min_lr_factor = -0.1}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "\"exponential\"", refusal({.decay_type = "exponential"}));
}

}  // namespace
}  // namespace rhea
