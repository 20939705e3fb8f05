#include "rhea/eval/generate.h"

#include "rhea/core/error.h"
#include "rhea/models/build_model.h"

#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <vector>

namespace rhea {
namespace {

std::unique_ptr<Model> small_model(const std::string& family) {
  auto model = build_model(
      {.family = family, .flavor = family == "gpt2" ? "debugmodel" : "debugmodel_2l", .vocab_size = 97, .max_seq_len = 32});
  model->materialize(at::kCPU, 7);
  return model;
}

// The oracle: the whole row again for every token, without a cache.
std::vector<std::int64_t> greedy_without_cache(Model& model, std::vector<std::int64_t> tokens, std::size_t count) {
  const c10::NoGradGuard no_grad;
  std::vector<std::int64_t> generated;
  while (generated.size() < count) {
    const at::Tensor hidden = model.hidden_states({at::tensor(tokens, at::kLong).unsqueeze(0), {}});
    const auto next = model.logits(hidden).select(1, -1).argmax().item<std::int64_t>();
    generated.push_back(next);
    tokens.push_back(next);
  }
  return generated;
}

class Generate : public testing::TestWithParam<const char*> {};

TEST_P(Generate, CacheGivesTheSameGreedyText) {
  const auto model = small_model(GetParam());
  const std::vector<std::int64_t> prompt = {3, 14, 15, 92, 6};
  const auto generated = generate(*model, prompt, {.sampling = {.temperature = 0.0}, .max_new_tokens = 12});
  EXPECT_EQ(generated, greedy_without_cache(*model, prompt, 12));
}

INSTANTIATE_TEST_SUITE_P(Families, Generate, testing::Values("llama3", "gpt2"), [](const auto& tested) { return tested.param; });

TEST(GenerateLimits, StopsAtTheStopTokenAndAtTheLastPosition) {
  const auto model = small_model("llama3");
  const std::vector<std::int64_t> prompt = {3, 14};
  const GenerateOptions greedy{.sampling = {.temperature = 0.0}, .max_new_tokens = 100};
  const auto all = generate(*model, prompt, greedy);
  EXPECT_EQ(all.size(), 31U);  // 32 positions, the last token needs none
  GenerateOptions stopping = greedy;
  stopping.stop_token = all[0];
  EXPECT_TRUE(generate(*model, prompt, stopping).empty());
}

TEST(GenerateLimits, KeepsToTheTokenizersVocabulary) {
  const auto model = small_model("llama3");
  GenerateOptions options{.sampling = {.temperature = 100.0}, .max_new_tokens = 30, .vocab_size = 7};
  for (const std::int64_t token : generate(*model, std::vector<std::int64_t>{3}, options)) {
    EXPECT_LT(token, 7);
  }
}

TEST(GenerateLimits, RefusesEmptyAndOverlongPrompts) {
  const auto model = small_model("llama3");
  EXPECT_THROW(generate(*model, {}, {}), Error);
  EXPECT_THROW(generate(*model, std::vector<std::int64_t>(33, 1), {}), Error);
}

}  // namespace
}  // namespace rhea
