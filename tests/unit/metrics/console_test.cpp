#include "rhea/metrics/console.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

namespace rhea {
namespace {

StepMetrics example() {
  StepMetrics m;
  m.step = 7;
  m.loss = 2.747531;
  m.grad_norm = 0.53214;
  m.memory_gib = 0.8123;
  m.memory_share = 0.05204;
  m.tokens_per_second = 2330.4;
  m.tflops = 1234.567;
  m.mfu = 0.61503;
  return m;
}

TEST(ConsoleLine, HasTorchtitansFieldsAndWidths) {
  EXPECT_EQ(console_line(example(), false),
            "step:  7  loss:  2.74753  grad_norm:  0.5321  memory:  0.81GiB(5.20%)  tps: 2,330  tflops: 1,234.57  mfu: 61.50%");
}

TEST(ConsoleLine, SaysWhatIsNotKnownNotFiniteOrSkipped) {
  StepMetrics m = example();
  m.loss = std::numeric_limits<double>::quiet_NaN();
  m.grad_norm = std::numeric_limits<double>::infinity();
  m.mfu = -1.0;
  m.skipped_steps = 3;
  EXPECT_EQ(console_line(m, false),
            "step:  7  loss:      nan  grad_norm:     inf  memory:  0.81GiB(5.20%)  tps: 2,330  tflops: 1,234.57  mfu: n/a  "
            "skipped: 3");
}

TEST(ConsoleLine, GivesEachFieldAColour) {
  const std::string line = console_line(example(), true);
  EXPECT_TRUE(line.starts_with("\033[31mstep:  7\033[0m  \033[32mloss:  2.74753\033[0m  ")) << line;
  EXPECT_TRUE(line.ends_with("mfu: 61.50%\033[0m")) << line;
}

TEST(ConsoleLine, ValidationHasItsOwnLine) {
  ValidationMetrics m;
  m.step = 100;
  m.loss = 2.74646;
  m.memory_gib = 12.345;
  m.memory_share = 0.5;
  m.tokens_per_second = 7120.0;
  EXPECT_EQ(console_line(m, false), "validate step: 100  loss:  2.7465  memory: 12.35GiB(50.00%)  tps: 7,120");
}

TEST(DecimalWithThousands, GroupsTheWholePart) {
  EXPECT_EQ(decimal_with_thousands(0.0), "0");
  EXPECT_EQ(decimal_with_thousands(999.0), "999");
  EXPECT_EQ(decimal_with_thousands(1000.0), "1,000");
  EXPECT_EQ(decimal_with_thousands(-1234567.891, 2), "-1,234,567.89");
  EXPECT_EQ(decimal_with_thousands(999999.999, 1), "1,000,000.0");
  EXPECT_EQ(decimal_with_thousands(std::numeric_limits<double>::infinity()), "inf");
}

TEST(WantsColour, NotInAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(wants_colour(ends[1]));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace rhea
