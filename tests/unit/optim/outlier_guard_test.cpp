#include "rhea/optim/outlier_guard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rhea/core/error.h"

namespace rhea {
namespace {

// Alternates 1 and 3: mean 2, standard deviation 1.
void fill(OutlierGuard& guard, int steps) {
  for (int i = 0; i < steps; ++i) {
    guard.is_outlier(i % 2 == 0 ? 1 : 3, 10);
  }
}

TEST(OutlierGuard, JudgesAgainstTheWindowBefore) {
  OutlierGuard guard({.max_loss_z = 3, .window = 8});
  fill(guard, 8);
  EXPECT_FALSE(guard.is_outlier(4.9, 10));
  EXPECT_NEAR(guard.loss_z(), 2.9, 1e-12);
  OutlierGuard other({.max_loss_z = 3, .window = 8});
  fill(other, 8);
  EXPECT_TRUE(other.is_outlier(5.1, 10));
  EXPECT_NEAR(other.loss_z(), 3.1, 1e-12);
}

TEST(OutlierGuard, NothingIsAnOutlierWhileTheWindowFills) {
  OutlierGuard guard({.max_loss_z = 1, .window = 8});
  fill(guard, 7);
  EXPECT_FALSE(guard.is_outlier(1000, 10));
}

TEST(OutlierGuard, LowValuesAreNoOutliers) {
  OutlierGuard guard({.max_loss_z = 1, .window = 8});
  fill(guard, 8);
  EXPECT_FALSE(guard.is_outlier(-1000, 10));
}

TEST(OutlierGuard, GradNormIsJudgedByItsOwnLimit) {
  OutlierGuard guard({.max_grad_norm_z = 2, .window = 4});
  for (const double norm : {1, 3, 1, 3}) {
    guard.is_outlier(1, norm);
  }
  EXPECT_TRUE(guard.is_outlier(1, 4.5));
  EXPECT_EQ(guard.loss_z(), 0);  // no spread
}

TEST(OutlierGuard, GivesWayToANewLevel) {
  OutlierGuard guard({.max_loss_z = 3, .window = 8});
  fill(guard, 8);
  EXPECT_TRUE(guard.is_outlier(100, 10));
  int skipped = 0;
  for (int i = 0; i < 20; ++i) {
    skipped += guard.is_outlier(100, 10) ? 1 : 0;
  }
  EXPECT_LT(skipped, 8);
}

TEST(OutlierGuard, NotFiniteIsAnOutlierAndNotRemembered) {
  OutlierGuard guard({.max_loss_z = 3, .window = 8});
  fill(guard, 8);
  const auto before = guard.state();
  EXPECT_TRUE(guard.is_outlier(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()));
  EXPECT_EQ(guard.state(), before);
  OutlierGuard off({.window = 8});
  EXPECT_FALSE(off.is_outlier(std::numeric_limits<double>::quiet_NaN(), 1));
}

TEST(OutlierGuard, StateRoundTripJudgesTheSame) {
  OutlierGuard guard({.max_loss_z = 3, .max_grad_norm_z = 3, .window = 8}), resumed = guard;
  fill(guard, 11);
  resumed.load_state(guard.state());
  EXPECT_EQ(resumed.state(), guard.state());
  for (const double value : {2.0, 5.0, 7.5, 3.0}) {
    EXPECT_EQ(resumed.is_outlier(value, value), guard.is_outlier(value, value));
    EXPECT_EQ(resumed.loss_z(), guard.loss_z());
  }
}

TEST(OutlierGuard, RefusesNonsense) {
  EXPECT_THROW(OutlierGuard({.max_loss_z = -1}), UsageError);
  EXPECT_THROW(OutlierGuard({.window = 1}), UsageError);
  OutlierGuard guard({.window = 4});
  EXPECT_THROW(guard.load_state({}), Error);
  for (const std::vector<double>& state :
       {std::vector<double>{5, 1, 1, 1, 1, 1}, {-1}, {0.5, 1}, {3, 1}, {0, 1, 1, 1, 1, 1}, {NAN}}) {
    EXPECT_THROW(guard.load_state(state), Error);
  }
}

}  // namespace
}  // namespace rhea
