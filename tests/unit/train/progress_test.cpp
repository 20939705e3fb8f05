#include "rhea/train/progress.h"

#include <gtest/gtest.h>

namespace rhea {
namespace {

TEST(Budget, EndsWithTheFirstLimitThatIsReached) {
  const Budget budget{.steps = 10, .tokens = 1000, .flops = 1e9, .seconds = 60, .target_loss = 2.0};
  const Progress before{.step = 9, .tokens = 999, .flops = 0.9e9, .seconds = 59, .loss = 2.1};
  EXPECT_TRUE(should_continue_training(before, budget));
  const auto reason = [&](auto change) {
    Progress progress = before;
    change(progress);
    EXPECT_FALSE(should_continue_training(progress, budget));
    return reason_to_stop(progress, budget);
  };
  EXPECT_EQ(reason([](Progress& p) { p.step = 10; }), "training.steps = 10");
  EXPECT_EQ(reason([](Progress& p) { p.tokens = 1000; }), "training.max_tokens = 1000");
  EXPECT_EQ(reason([](Progress& p) { p.seconds = 60; }), "training.max_seconds = 60");
  EXPECT_EQ(reason([](Progress& p) { p.flops = 1e9; }), "training.max_flops = 1000000000");
  EXPECT_EQ(reason([](Progress& p) { p.loss = 2.0; }), "training.target_loss = 2");
}

TEST(Budget, ZeroIsNoLimit) {
  EXPECT_TRUE(should_continue_training({.step = 1 << 30, .loss = 0.0}, {}));
  EXPECT_EQ(share_done({.step = 5}, {}), 0.0);
}

TEST(Budget, ShareIsThatOfTheNearestLimit) {
  EXPECT_DOUBLE_EQ(share_done({.step = 5, .seconds = 45}, {.steps = 10, .seconds = 60}), 0.75);
  EXPECT_DOUBLE_EQ(share_done({.step = 20}, {.steps = 10}), 1.0);
}

}  // namespace
}  // namespace rhea
