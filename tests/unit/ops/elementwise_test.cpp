#include "compare.h"
#include "rhea/core/error.h"
#include "rhea/ops/reference.h"
#include "rhea/ops/rms_norm.h"
#include "rhea/ops/rotary_embedding.h"
#include "rhea/ops/swiglu.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

namespace rhea::ops {
namespace {

constexpr double kEps = 1e-5;

at::Tensor norm(const std::vector<at::Tensor>& in) {
  return rms_norm(in[0], in[1], kEps);
}

at::Tensor plain_norm(const std::vector<at::Tensor>& in) {
  return reference::rms_norm(in[0], in[1], kEps);
}

TEST(RmsNorm, MatchesTheReference) {
  for (const std::int64_t dim : {1, 16, 77, 256, 1000}) {
    const at::Tensor weight = random_tensor({dim}, 2);
    expect_matches(norm, plain_norm, {random_tensor({3, 41, dim}, 1), weight}, kFloatTolerance);
    expect_matches(norm, plain_norm, {random_tensor({3, 41, dim}, 1, at::kBFloat16), weight}, kBFloat16Tolerance);
    expect_matches(norm, plain_norm, {random_tensor({3, 41, dim}, 1, at::kBFloat16), weight.to(at::kBFloat16)},
                   kBFloat16Tolerance);
  }
}

TEST(RmsNorm, TakesStridedRows) {
  const at::Tensor wide = random_tensor({5, 9, 64}, 3);
  expect_matches(norm, plain_norm, {wide.narrow(2, 8, 32), random_tensor({32}, 2)}, kFloatTolerance);
  expect_matches(norm, plain_norm, {wide.transpose(0, 1), random_tensor({64}, 2)}, kFloatTolerance);
}

TEST(RmsNorm, GivesTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits(norm, {random_tensor({4, 333, 96}, 1), random_tensor({96}, 2)});
  expect_same_bits(norm, {random_tensor({4, 333, 96}, 1, at::kBFloat16), random_tensor({96}, 2)});
}

TEST(Swiglu, MatchesTheReference) {
  const Op op = [](const auto& in) { return swiglu(in[0], in[1]); };
  const Op plain = [](const auto& in) { return reference::swiglu(in[0], in[1]); };
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1}, {3, 5, 77}, {2, 64, 256}}) {
    expect_matches(op, plain, {random_tensor(shape, 1), random_tensor(shape, 2)}, kFloatTolerance);
    expect_matches(op, plain, {random_tensor(shape, 1, at::kBFloat16), random_tensor(shape, 2, at::kBFloat16)},
                   kBFloat16Tolerance);
  }
  expect_same_bits(op, {random_tensor({7, 12345}, 1), random_tensor({7, 12345}, 2)});
}

TEST(Swiglu, StaysFiniteForLargeGates) {
  const at::Tensor gate = random_tensor({64}, 1) * 1000, up = random_tensor({64}, 2);
  expect_matches([](const auto& in) { return swiglu(in[0], in[1]); },
                 [](const auto& in) { return reference::swiglu(in[0], in[1]); }, {gate, up}, kFloatTolerance);
}

class Rope : public testing::Test {
 protected:
  static at::Tensor starts() {
    at::Tensor starts = at::zeros({2, 50}, at::kInt);
    starts[0].narrow(0, 20, 30).fill_(20);
    starts[1].narrow(0, 1, 49).fill_(1);
    return starts;
  }
  static Op op(std::int64_t first) {
    return [first](const auto& in) {
      const auto [cos, sin] = rope_tables(in[0].size(3), 128, 10000.0);
      return rotary_embedding(in[0], cos, sin, in[1], first);
    };
  }
  static Op plain(std::int64_t first) {
    return [first](const auto& in) {
      const auto [cos, sin] = rope_tables(in[0].size(3), 128, 10000.0);
      return reference::rotary_embedding(in[0], cos, sin, in[1], first);
    };
  }
};

TEST_F(Rope, MatchesTheReference) {
  for (const std::int64_t head_dim : {2, 6, 16, 64, 128}) {
    for (const at::Tensor& document_starts : {at::Tensor(), starts()}) {
      const at::Tensor x = random_tensor({2, 50, 5, head_dim}, 1);
      expect_matches(op(0), plain(0), {x, document_starts}, kFloatTolerance);
      expect_matches(op(0), plain(0), {x.to(at::kBFloat16), document_starts}, kBFloat16Tolerance);
      // A view of a fused projection.
      expect_matches(op(0), plain(0), {x.narrow(2, 1, 3), document_starts}, kFloatTolerance);
    }
  }
  expect_matches(op(30), plain(30), {random_tensor({2, 50, 5, 16}, 1), at::Tensor()}, kFloatTolerance);
}

TEST_F(Rope, GivesTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits(op(0), {random_tensor({2, 50, 5, 16}, 1), starts()});
}

TEST_F(Rope, RefusesPositionsBeyondTheTables) {
  expect_error([&] { op(100)({random_tensor({2, 50, 5, 16}, 1), at::Tensor()}); },
               "position 149 is beyond the tables' 128 positions");
}

TEST(RopeTables, AnglesArePositionTimesFrequency) {
  const auto [cos, sin] = rope_tables(8, 100, 500000.0);
  for (const int position : {0, 1, 99}) {
    for (int i = 0; i < 4; ++i) {
      const double angle = position * std::pow(500000.0, -2.0 * i / 8);
      // An angle of 99 rad in fp32 is known to 2^-18.
      EXPECT_NEAR(cos[position][i].item<double>(), std::cos(angle), 1e-5);
      EXPECT_NEAR(sin[position][i].item<double>(), std::sin(angle), 1e-5);
    }
  }
}

TEST(RopeTables, Llama31KeepsFastAndSlowsLongWavelengths) {
  const RopeScaling scaling;
  const auto [plain_cos, plain_sin] = rope_tables(128, 2, 500000.0);
  const auto [cos, sin] = rope_tables(128, 2, 500000.0, scaling);
  for (int i = 0; i < 64; ++i) {
    const double freq = std::pow(500000.0, -2.0 * i / 128);
    const double wavelength = 2 * M_PI / freq;
    double expected = freq;
    if (wavelength > 8192.0 / 1.0) {
      expected = freq / 8;
    } else if (wavelength >= 8192.0 / 4.0) {
      const double smooth = (8192.0 / wavelength - 1) / 3;
      expected = (1 - smooth) * freq / 8 + smooth * freq;
    }
    EXPECT_NEAR(sin[1][i].item<double>(), std::sin(expected), 1e-6) << i;
  }
  EXPECT_EQ(sin[1][0].item<float>(), plain_sin[1][0].item<float>());
  EXPECT_NE(sin[1][63].item<float>(), plain_sin[1][63].item<float>());
}

}  // namespace
}  // namespace rhea::ops
