#include "rhea/metrics/meters.h"
#include "rhea/core/files.h"
#include "rhea/metrics/flops.h"
#include "rhea/metrics/memory.h"
#include "tests/unit/core/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace rhea {
namespace {

TEST(ThroughputMeter, DividesByTheStepsOfTheWindow) {
  ThroughputMeter meter(100.0);
  meter.add_step(512, 0.25);
  const ThroughputWindow first = meter.take_window(102.0);  // one step, whatever the logging frequency is
  EXPECT_EQ(first.steps, 1);
  EXPECT_DOUBLE_EQ(first.tokens_per_second(), 256.0);
  EXPECT_DOUBLE_EQ(first.step_seconds(), 2.0);
  EXPECT_DOUBLE_EQ(first.step_data_wait_seconds(), 0.25);
  for (int i = 0; i < 4; ++i) {
    meter.add_step(512, 0.5);
  }
  const ThroughputWindow second = meter.take_window(106.0);
  EXPECT_DOUBLE_EQ(second.tokens_per_second(), 512.0);
  EXPECT_DOUBLE_EQ(second.step_seconds(), 1.0);
  EXPECT_DOUBLE_EQ(second.step_data_wait_seconds(), 0.5);
}

TEST(ThroughputMeter, ExcludedTimeIsNoTraining) {
  ThroughputMeter meter(0.0);
  meter.add_step(100, 0.0);
  meter.exclude(8.0);
  EXPECT_DOUBLE_EQ(meter.take_window(10.0).tokens_per_second(), 50.0);
  meter.add_step(100, 0.0);
  EXPECT_DOUBLE_EQ(meter.take_window(11.0).tokens_per_second(), 100.0);
}

TEST(ThroughputMeter, AnEmptyWindowHasNoRates) {
  ThroughputMeter meter(5.0);
  const ThroughputWindow window = meter.take_window(5.0);
  EXPECT_EQ(window.tokens_per_second(), 0.0);
  EXPECT_EQ(window.step_seconds(), 0.0);
  EXPECT_EQ(window.step_data_wait_seconds(), 0.0);
}

TEST(PeakFlops, KnowsDevicesByTheirDriversNames) {
  EXPECT_EQ(peak_flops("NVIDIA A100-SXM4-80GB"), 312e12);
  EXPECT_EQ(peak_flops("NVIDIA H100 80GB HBM3"), 989e12);
  EXPECT_EQ(peak_flops("NVIDIA H100 NVL"), 835e12);
  EXPECT_EQ(peak_flops("NVIDIA H100 PCIe"), 756e12);
  EXPECT_EQ(peak_flops("NVIDIA H200"), 989e12);
  EXPECT_EQ(peak_flops("NVIDIA H20"), 148e12);
  EXPECT_EQ(peak_flops("NVIDIA B200"), 2.25e15);
  EXPECT_EQ(peak_flops("NVIDIA L40S"), 362e12);
  EXPECT_EQ(peak_flops("AMD Instinct MI300X"), 1300e12);
  EXPECT_EQ(peak_flops("AMD Instinct MI355X"), 2500e12);
  EXPECT_EQ(peak_flops("AMD Instinct MI250X"), 191.5e12);
}

TEST(PeakFlops, GuessesNothing) {
  EXPECT_EQ(peak_flops("NVIDIA GeForce RTX 4090"), std::nullopt);
  EXPECT_EQ(peak_flops("H2000"), std::nullopt);
  EXPECT_EQ(peak_flops(""), std::nullopt);
}

TEST(ModelFlopsUtilization, IsTheShareOfThePeak) {
  EXPECT_DOUBLE_EQ(model_flops_utilization(6e9, 1000.0, 12e12), 0.5);
  EXPECT_LT(model_flops_utilization(6e9, 1000.0, 0.0), 0.0);
  EXPECT_LT(model_flops_utilization(6e9, 1000.0, std::nan("")), 0.0);
}

TEST(Memory, PeakFollowsWhatIsTouched) {
  constexpr std::size_t kBytes = 256U << 20U;
  const double before = resident_memory_gib();
  EXPECT_GT(before, 0.0);
  {
    std::vector<char> block(kBytes, 1);
    EXPECT_GT(resident_memory_gib(), before + 0.2);
    ASSERT_EQ(block.back(), 1);
  }
  EXPECT_GT(peak_memory_gib(), before + 0.2);
  EXPECT_LT(resident_memory_gib(), before + 0.1);
  if (reset_peak_memory()) {
    EXPECT_LT(peak_memory_gib(), before + 0.1);
  }
  EXPECT_GT(total_memory_gib(), peak_memory_gib());
}

TEST(Memory, TheLowestLimitOfTheGroupsAroundHolds) {
  const testing::TemporaryFolder root;
  write_file_atomically(root.path() / "job/memory.max", "2000\n");
  write_file_atomically(root.path() / "job/step/memory.max", "max\n");
  EXPECT_EQ(control_group_limit(root.path(), "0::/job/step\n"), 2000.0);
  EXPECT_TRUE(std::isinf(control_group_limit(root.path(), "0::/other\n")));
  write_file_atomically(root.path() / "memory/docker/memory.limit_in_bytes", "1000\n");
  EXPECT_EQ(control_group_limit(root.path(), "5:cpu:/x\n4:memory:/docker\n0::/job\n"), 1000.0);
}

TEST(Memory, NonsenseInTheGroupsIsNoLimit) {
  const testing::TemporaryFolder root;
  write_file_atomically(root.path() / "job/memory.max", "many");
  EXPECT_TRUE(std::isinf(control_group_limit(root.path(), "0::/job\nnonsense\n\n")));
}

}  // namespace
}  // namespace rhea
