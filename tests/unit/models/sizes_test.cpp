// Parameter counts and FLOPs against the published numbers of each size.
#include "rhea/core/error.h"
#include "rhea/models/build_model.h"

#include <gtest/gtest.h>

namespace rhea {
namespace {

struct Published {
  const char* family;
  const char* flavor;
  std::int64_t parameters;
};

class PublishedSize : public testing::TestWithParam<Published> {};

TEST_P(PublishedSize, HasThePublishedNumberOfParameters) {
  const auto& [family, flavor, parameters] = GetParam();
  const auto model = build_model({.family = family, .flavor = flavor});
  EXPECT_EQ(model->num_parameters(), parameters);
  EXPECT_TRUE(model->output_weight().tensor.is_meta()) << "a size must cost no memory before materialize()";
}

INSTANTIATE_TEST_SUITE_P(AllSizes, PublishedSize,
                         testing::Values(Published{"llama3", "debugmodel", 6'163'712},
                                         Published{"llama3", "debugmodel_2l", 2'753'792},
                                         Published{"llama3", "134M", 134'105'856}, Published{"llama3", "1B", 1'235'814'400},
                                         Published{"llama3", "3B", 3'212'749'824}, Published{"llama3", "7B", 6'738'415'616},
                                         Published{"llama3", "8B", 8'030'261'248}, Published{"llama3", "13B", 13'015'864'320},
                                         Published{"llama3", "40B", 39'750'148'096}, Published{"llama3", "70B", 70'553'706'496},
                                         Published{"llama3", "405B", 405'853'388'800}, Published{"gpt2", "124M", 124'439'808},
                                         Published{"gpt2", "350M", 354'823'168}, Published{"gpt2", "774M", 774'030'080},
                                         Published{"gpt2", "1.5B", 1'557'611'200}),
                         [](const auto& tested) {
                           std::string name = std::string(tested.param.family) + "_" + tested.param.flavor;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(ModelSizes, DebugmodelFlopsAreTorchtitans) {
  const auto model = build_model({.family = "llama3", .flavor = "debugmodel"});
  EXPECT_EQ(model->flops_per_token(2048), 71'585'280);
  EXPECT_EQ(model->causal_flops_per_token(2048), 6 * (6'163'712 - 524'288) + 6 * 6 * 256 * 2048);
}

TEST(ModelSizes, TiedTableCountsOnceAndAsWork) {
  const auto tied = build_model({.family = "llama3", .flavor = "debugmodel", .tied = true});
  EXPECT_EQ(tied->num_parameters(), 6'163'712 - 524'288);
  EXPECT_EQ(tied->flops_per_token(2048), 71'585'280);
}

void expect_refusal(const ModelOptions& options, const std::string& part) {
  try {
    build_model(options);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ModelSizes, RefusesWhatIsNotThereWithTheNearestName) {
  expect_refusal({.family = "lama3"}, "llama3");
  expect_refusal({.family = "llama3", .flavor = "debugmodl"}, "debugmodel");
  expect_refusal({.family = "gpt2", .flavor = "125M"}, "124M");
  expect_refusal({.family = "gpt2", .flavor = "124M", .qk_norm = true}, "model.qk_norm");
  expect_refusal({.family = "gpt2", .flavor = "124M", .tied = false}, "model.tie_embeddings");
}

}  // namespace
}  // namespace rhea
