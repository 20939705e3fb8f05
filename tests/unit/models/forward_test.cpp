// What a forward pass promises: packed documents are as if alone, the cache gives what the whole row gives, and
// recomputing a layer changes no bit.
#include "rhea/core/error.h"
#include "rhea/models/build_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

namespace rhea {
namespace {

ModelOptions small(const std::string& family) {
  return {.family = family, .flavor = family == "gpt2" ? "debugmodel" : "debugmodel_2l", .vocab_size = 97, .max_seq_len = 64};
}

std::unique_ptr<Model> materialized(const ModelOptions& options) {
  auto model = build_model(options);
  model->materialize(at::kCPU, 7);
  return model;
}

at::Tensor random_tokens(std::int64_t batch, std::int64_t seq) {
  return at::randint(97, {batch, seq}, at::TensorOptions(at::kLong));
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

class BothFamilies : public testing::TestWithParam<const char*> {};

TEST_P(BothFamilies, PackedDocumentsAreAsIfAlone) {
  const c10::NoGradGuard no_grad;
  const auto model = materialized(small(GetParam()));
  const at::Tensor first = random_tokens(1, 13), second = random_tokens(1, 20);
  const at::Tensor starts = at::cat({at::full({1, 13}, 0, at::kInt), at::full({1, 20}, 13, at::kInt)}, 1);
  const at::Tensor packed = model->hidden_states({at::cat({first, second}, 1), starts});
  const double scale = packed.abs().max().item<double>();
  // The same sums in another blocking: a few units in the last place of fp32.
  EXPECT_LE(largest_difference(packed.narrow(1, 0, 13), model->hidden_states({first, {}})), 1e-5 * scale);
  EXPECT_LE(largest_difference(packed.narrow(1, 13, 20), model->hidden_states({second, {}})), 1e-5 * scale);
  const at::Tensor unmasked = model->hidden_states({at::cat({first, second}, 1), {}});
  EXPECT_GT(largest_difference(packed.narrow(1, 13, 20), unmasked.narrow(1, 13, 20)), 1e-2 * scale);
}

TEST_P(BothFamilies, CacheGivesWhatTheWholeRowGives) {
  const c10::NoGradGuard no_grad;
  const auto model = materialized(small(GetParam()));
  const at::Tensor tokens = random_tokens(2, 17);
  const at::Tensor whole = model->hidden_states({tokens, {}});
  KeyValueCache cache;
  const at::Tensor by_parts = at::cat(
      {model->hidden_states_cached(tokens.narrow(1, 0, 5), cache), model->hidden_states_cached(tokens.narrow(1, 5, 1), cache),
       model->hidden_states_cached(tokens.narrow(1, 6, 11), cache)},
      1);
  EXPECT_EQ(cache.length, 17);
  EXPECT_LE(largest_difference(whole, by_parts), 1e-5 * whole.abs().max().item<double>());
}

TEST_P(BothFamilies, RecomputedLayersGiveTheSameBits) {
  const auto model = materialized(small(GetParam()));
  const at::Tensor tokens = random_tokens(2, 24), labels = random_tokens(2, 24);
  const auto gradients = [&](std::int64_t recompute_every) {
    model->set_recompute_every(recompute_every);
    std::vector<at::Tensor> result;
    for (Parameter& parameter : model->parameters()) {
      parameter.tensor.mutable_grad().reset();
    }
    model->loss_sum({tokens, {}}, labels).backward();
    for (Parameter& parameter : model->parameters()) {
      result.push_back(parameter.tensor.grad().clone());
    }
    return result;
  };
  const auto plain = gradients(0), full = gradients(1), second = gradients(2);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_TRUE(at::equal(plain[i], full[i])) << model->parameters()[i].name;
    EXPECT_TRUE(at::equal(plain[i], second[i])) << model->parameters()[i].name;
  }
}

TEST_P(BothFamilies, RefusesRowsAndTokensThatDoNotFit) {
  const auto model = materialized(small(GetParam()));
  EXPECT_THROW(model->hidden_states({random_tokens(1, 65), {}}), Error);
  EXPECT_THROW(model->hidden_states({at::full({1, 3}, 97, at::kLong), {}}), Error);
}

TEST_P(BothFamilies, Bfloat16StaysCloseToFloat32) {
  const c10::NoGradGuard no_grad;
  const auto model = materialized(small(GetParam()));
  const at::Tensor tokens = random_tokens(2, 24);
  const at::Tensor exact = model->hidden_states({tokens, {}});
  model->set_compute_dtype(at::kBFloat16);
  const at::Tensor rounded = model->hidden_states({tokens, {}});
  EXPECT_EQ(rounded.scalar_type(), at::kBFloat16);
  // bf16 has 8 bits; a handful of roundings a layer on values of about 1.
  EXPECT_LE(largest_difference(exact, rounded.to(at::kFloat)), 0.05 * exact.abs().max().item<double>());
}

INSTANTIATE_TEST_SUITE_P(Families, BothFamilies, testing::Values("llama3", "gpt2"),
                         [](const auto& tested) { return tested.param; });

TEST(Llama, OptionsThatChangeTheModel) {
  ModelOptions options = small("llama3");
  options.qk_norm = true;
  options.tied = true;
  const auto model = materialized(options);
  const at::Tensor tokens = random_tokens(1, 9), labels = random_tokens(1, 9);
  model->loss_sum({tokens, {}}, labels).backward();
  for (const Parameter& parameter : model->parameters()) {
    EXPECT_TRUE(parameter.tensor.grad().defined()) << parameter.name;
  }
  EXPECT_EQ(model->output_weight().name, "tok_embeddings.weight");
}

}  // namespace
}  // namespace rhea
