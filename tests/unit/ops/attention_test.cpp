#include "rhea/ops/attention.h"

#include "compare.h"
#include "rhea/core/error.h"
#include "rhea/ops/reference.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace rhea::ops {
namespace {

at::Tensor op(const std::vector<at::Tensor>& in) {
  return causal_attention(in[0], in[1], in[2], in[3]);
}

at::Tensor plain(const std::vector<at::Tensor>& in) {
  return reference::causal_attention(in[0], in[1], in[2], in[3]);
}

// grad_output . value and its mean over the keys cancel, and both have head_dim terms: three times the ordinary bound.
constexpr double kTolerance = 3 * kFloatTolerance;

struct Shape {
  std::int64_t batch, seq, heads, kv_heads, head_dim;
};

// Views of one fused projection [batch, seq, (heads + 2 kv_heads) * head_dim]: strided, as a model may hand them over.
std::vector<at::Tensor> fused_inputs(const Shape& s, at::ScalarType dtype, const at::Tensor& document_starts = {}) {
  const at::Tensor fused = random_tensor({s.batch, s.seq, s.heads + 2 * s.kv_heads, s.head_dim}, 5, dtype);
  return {fused.narrow(2, 0, s.heads), fused.narrow(2, s.heads, s.kv_heads), fused.narrow(2, s.heads + s.kv_heads, s.kv_heads),
          document_starts};
}

// Documents of the given lengths, one after the other, the same in each row but shifted by one a row.
at::Tensor documents(std::int64_t batch, std::int64_t seq, std::int64_t length) {
  at::Tensor starts = at::zeros({batch, seq}, at::kInt);
  auto at_token = starts.accessor<std::int32_t, 2>();
  for (std::int64_t row = 0; row < batch; ++row) {
    for (std::int64_t t = 0; t < seq; ++t) {
      const std::int64_t start = (t + row) / length * length - row;
      at_token[row][t] = static_cast<std::int32_t>(std::max<std::int64_t>(start, 0));
    }
  }
  return starts;
}

class Attention : public testing::TestWithParam<Shape> {};

TEST_P(Attention, MatchesTheReferenceInFp32) {
  expect_matches(op, plain, fused_inputs(GetParam(), at::kFloat), kTolerance);
}

TEST_P(Attention, MatchesTheReferenceInBf16) {
  expect_matches(op, plain, fused_inputs(GetParam(), at::kBFloat16), 2 * kBFloat16Tolerance);
}

TEST_P(Attention, KeepsDocumentsApart) {
  const Shape& s = GetParam();
  for (const std::int64_t length : {1, 7, 64, 100}) {
    const at::Tensor starts = documents(s.batch, s.seq, length);
    expect_matches(op, plain, fused_inputs(s, at::kFloat, starts), kTolerance);
    expect_matches(op, plain, fused_inputs(s, at::kBFloat16, starts), 2 * kBFloat16Tolerance);
  }
}

TEST_P(Attention, GivesTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits(op, fused_inputs(GetParam(), at::kFloat));
  expect_same_bits(op, fused_inputs(GetParam(), at::kBFloat16, documents(GetParam().batch, GetParam().seq, 50)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Attention,
                         testing::Values(Shape{1, 1, 1, 1, 16}, Shape{2, 63, 4, 4, 16}, Shape{1, 130, 4, 2, 16},
                                         Shape{2, 257, 2, 1, 64}, Shape{1, 200, 6, 2, 128}, Shape{1, 96, 2, 2, 80},
                                         Shape{1, 70, 1, 1, 256}, Shape{1, 65, 3, 1, 24}),
                         [](const auto& parameter) {
                           const Shape& s = parameter.param;
                           return fmt::format("b{}t{}h{}kv{}d{}", s.batch, s.seq, s.heads, s.kv_heads, s.head_dim);
                         });

TEST(AttentionUse, GivesNothingFromAnEmptyBatch) {
  const auto in = fused_inputs({0, 8, 2, 2, 16}, at::kFloat);
  EXPECT_EQ(op(in).sizes(), (std::vector<std::int64_t>{0, 8, 2, 16}));
}

TEST(AttentionUse, LargeScoresDoNotOverflow) {
  auto in = fused_inputs({1, 40, 2, 2, 16}, at::kFloat);
  in[0] = in[0].mul(100);
  expect_matches(op, plain, in, 1e-4);
}

TEST(AttentionUse, RefusesHeadsThatDoNotDivide) {
  const at::Tensor query = at::zeros({1, 4, 3, 16}), key = at::zeros({1, 4, 2, 16});
  expect_error([&] { causal_attention(query, key, key, {}); }, "heads a multiple of kv_heads; got query 1x4x3x16, key 1x4x2x16");
}

TEST(AttentionUse, RefusesDocumentStartsBeyondTheirToken) {
  const at::Tensor query = at::zeros({1, 3, 1, 16});
  const at::Tensor starts = at::tensor({0, 2, 2}, at::kInt).unsqueeze(0);
  expect_error([&] { causal_attention(query, query, query, starts); }, "document_starts[0, 1] is 2");
}

TEST(CachedAttention, ContinuesWhatTheFullPassBegan) {
  const auto in = fused_inputs({2, 20, 4, 2, 16}, at::kFloat);
  const at::Tensor whole = op(in);
  for (const std::int64_t fresh : {1, 5, 20}) {
    const at::Tensor last = cached_attention(in[0].narrow(1, 20 - fresh, fresh), in[1], in[2]);
    EXPECT_LE(relative_error(last, whole.narrow(1, 20 - fresh, fresh)), kTolerance);
  }
}

TEST(CachedAttention, RefusesACacheWithoutTheNewTokens) {
  const at::Tensor query = at::zeros({1, 4, 2, 16}), key = at::zeros({1, 3, 2, 16});
  expect_error([&] { cached_attention(query, key, key); }, "4 new queries but only 3 keys");
}

}  // namespace
}  // namespace rhea::ops
