#include "rhea/ops/linear.h"

#include "compare.h"
#include "rhea/core/error.h"
#include "rhea/ops/cross_entropy.h"
#include "rhea/ops/embedding.h"
#include "rhea/ops/reference.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace rhea::ops {
namespace {

at::Tensor op(const std::vector<at::Tensor>& in) {
  return linear(in[0], in[1], in[2]);
}

// What the op multiplies by: fp32 weights under bf16 activations are rounded first, and gradients pass through that.
at::Tensor plain(const std::vector<at::Tensor>& in) {
  return reference::linear(in[0], in[1], in[2]);
}

at::Tensor rounded(const at::Tensor& x) {
  return x.to(at::kBFloat16).to(at::kFloat);
}

TEST(Linear, MatchesTheReference) {
  const at::Tensor weight = random_tensor({33, 47}, 1), bias = random_tensor({33}, 2);
  for (const at::Tensor& b : {at::Tensor(), bias}) {
    expect_matches(op, plain, {random_tensor({3, 5, 47}, 3), weight, b}, kFloatTolerance);
    expect_matches(op, plain, {random_tensor({47}, 3), weight, b}, kFloatTolerance);
    expect_matches(op, plain, {random_tensor({3, 5, 47}, 3, at::kBFloat16), rounded(weight), b}, kBFloat16Tolerance);
  }
  expect_matches(op, plain, {random_tensor({3, 5, 47}, 3, at::kBFloat16), weight.to(at::kBFloat16), bias.to(at::kBFloat16)},
                 2 * kBFloat16Tolerance);
}

TEST(Linear, TakesStridedInput) {
  expect_matches(op, plain, {random_tensor({5, 3, 47}, 3).transpose(0, 1), random_tensor({33, 47}, 1), at::Tensor()},
                 kFloatTolerance);
}

TEST(Linear, GradientOfMasterWeightsIsNotRounded) {
  // Each product is exact in fp32; their sum 1 + 2^-10 would lose its tail in bf16.
  const at::Tensor x = at::tensor({1.0F, 0.03125F}).view({2, 1}).to(at::kBFloat16);
  const at::Tensor weight = at::zeros({1, 1}).set_requires_grad(true);
  linear(x, weight).backward(at::tensor({1.0F, 0.03125F}).view({2, 1}).to(at::kBFloat16));
  EXPECT_EQ(weight.grad().item<float>(), 1.0F + 0.0009765625F);
}

TEST(Linear, FrozenWeightsGetNoGradient) {
  const at::Tensor x = random_tensor({4, 8}, 1).set_requires_grad(true), weight = random_tensor({3, 8}, 2);
  linear(x, weight).sum().backward();
  EXPECT_TRUE(x.grad().defined());
  EXPECT_FALSE(weight.grad().defined());
}

class CrossEntropy : public testing::Test {
 protected:
  static at::Tensor op(const std::vector<at::Tensor>& in) { return linear_cross_entropy(in[0], in[1], in[2]); }
  static at::Tensor plain(const std::vector<at::Tensor>& in) {
    return reference::linear_cross_entropy(in[0], in[1], in[2], -100);
  }
  static at::Tensor labels(std::int64_t count, std::int64_t vocab, std::int64_t ignore_every) {
    at::Tensor labels = at::zeros({count}, at::kLong);
    for (std::int64_t i = 0; i < count; ++i) {
      labels[i] = ignore_every > 0 && i % ignore_every == 0 ? -100 : i * 7919 % vocab;
    }
    return labels;
  }
};

TEST_F(CrossEntropy, MatchesTheReference) {
  for (const auto& [count, vocab, dim] :
       {std::array<std::int64_t, 3>{1, 5, 3}, {100, 77, 32}, {1500, 2048, 24}, {130, 3001, 17}}) {
    for (const std::int64_t ignore_every : {0, 3}) {
      const at::Tensor hidden = random_tensor({count, dim}, 1), weight = random_tensor({vocab, dim}, 2);
      const at::Tensor y = labels(count, vocab, ignore_every);
      if (count == 1 && ignore_every > 0) {
        continue;
      }
      expect_matches(op, plain, {hidden, weight, y}, kFloatTolerance);
      expect_matches(op, plain, {hidden.to(at::kBFloat16), rounded(weight), y}, kBFloat16Tolerance);
    }
  }
}

TEST_F(CrossEntropy, GivesTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits(op, {random_tensor({700, 32}, 1), random_tensor({501, 32}, 2), labels(700, 501, 5)});
}

TEST_F(CrossEntropy, AllIgnoredIsZeroAndConnected) {
  const at::Tensor hidden = random_tensor({6, 4}, 1).set_requires_grad(true),
                   weight = random_tensor({9, 4}, 2).set_requires_grad(true);
  const at::Tensor loss = linear_cross_entropy(hidden, weight, labels(6, 9, 1));
  EXPECT_EQ(loss.item<float>(), 0.0F);
  loss.backward();
  EXPECT_EQ(hidden.grad().abs().sum().item<float>(), 0.0F);
  EXPECT_EQ(weight.grad().abs().sum().item<float>(), 0.0F);
}

TEST_F(CrossEntropy, IgnoredTokensMayHoldAnything) {
  const at::Tensor hidden = random_tensor({2, 4}, 1), weight = random_tensor({9, 4}, 2);
  const at::Tensor y = at::tensor({std::int64_t{-100}, std::int64_t{3}}, at::kLong);
  const float expected = linear_cross_entropy(hidden, weight, y).item<float>();
  hidden[0].fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(linear_cross_entropy(hidden, weight, y).item<float>(), expected);
}

TEST_F(CrossEntropy, RefusesALabelOutsideTheVocabulary) {
  const at::Tensor hidden = random_tensor({2, 4}, 1), weight = random_tensor({9, 4}, 2);
  for (const std::int64_t label : {std::int64_t{9}, std::int64_t{-1}}) {
    expect_error([&] { linear_cross_entropy(hidden, weight, at::tensor({std::int64_t{1}, label}, at::kLong)); },
                 fmt::format("label {} is not in the vocabulary of 9 entries", label));
  }
}

TEST(Embedding, MatchesTheReference) {
  const at::Tensor weight = random_tensor({11, 7}, 1);
  at::Tensor tokens = at::zeros({3, 40}, at::kLong);
  for (std::int64_t i = 0; i < tokens.numel(); ++i) {
    tokens.view(-1)[i] = i * i % 11;
  }
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const Op lookup = [dtype](const auto& in) { return embedding(in[0], in[1], dtype); };
    expect_matches(
        lookup, [](const auto& in) { return reference::embedding(in[0], in[1]); }, {tokens, weight},
        dtype == at::kFloat ? kFloatTolerance : kBFloat16Tolerance);
    expect_same_bits(lookup, {tokens, weight});
  }
}

TEST(Embedding, RefusesATokenOutsideTheVocabulary) {
  const at::Tensor weight = random_tensor({11, 7}, 1);
  for (const std::int64_t token : {std::int64_t{11}, std::int64_t{-3}}) {
    expect_error([&] { embedding(at::tensor({std::int64_t{1}, token}, at::kLong), weight, at::kFloat); },
                 fmt::format("token {} is not in the vocabulary of 11 entries", token));
  }
}

}  // namespace
}  // namespace rhea::ops
