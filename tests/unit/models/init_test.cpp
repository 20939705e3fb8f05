// First values: the rules of the llama family, and that they depend on the seed and the name alone.
#include "rhea/models/build_model.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace rhea {
namespace {

std::unique_ptr<Model> materialized(const ModelOptions& options, std::uint64_t seed = 42) {
  auto model = build_model(options);
  model->materialize(at::kCPU, seed);
  return model;
}

at::Tensor weight(const Model& model, const std::string& name) {
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.name == name) {
      return parameter.tensor.detach();
    }
  }
  ADD_FAILURE() << "no parameter " << name;
  return {};
}

// The sample std of n normals has a relative error of 1/sqrt(2n); five of them.
void expect_std(const at::Tensor& tensor, double std) {
  const double tolerance = 5.0 / std::sqrt(2.0 * static_cast<double>(tensor.numel()));
  EXPECT_NEAR(tensor.std().item<double>() / std, 1.0, tolerance);
  EXPECT_NEAR(tensor.mean().item<double>() / std, 0.0, 5.0 / std::sqrt(static_cast<double>(tensor.numel())));
}

TEST(Initialization, LlamaDepthScaled) {
  const auto model = materialized({.flavor = "debugmodel"});
  expect_std(weight(*model, "tok_embeddings.weight"), 1.0);
  for (const int layer : {0, 3, 5}) {
    const std::string prefix = "layers." + std::to_string(layer);
    const double residual = 0.02 / std::sqrt(2.0 * (layer + 1));
    for (const char* name : {".attention.wq.weight", ".attention.wk.weight", ".attention.wv.weight", ".feed_forward.w1.weight"}) {
      expect_std(weight(*model, prefix + name), 0.02);
    }
    for (const char* name : {".attention.wo.weight", ".feed_forward.w2.weight", ".feed_forward.w3.weight"}) {
      expect_std(weight(*model, prefix + name), residual);
    }
  }
  EXPECT_TRUE(weight(*model, "norm.weight").eq(1).all().item<bool>());
  // A normal cut at +-3 sigma has 0.98658 of its std.
  const at::Tensor output = weight(*model, "output.weight");
  expect_std(output, std::pow(256.0, -0.5) * 0.98658);
  EXPECT_LE(output.abs().max().item<double>(), 3.0 * std::pow(256.0, -0.5) * (1 + 1e-6));
}

TEST(Initialization, LlamaWholeDepthVariant) {
  const auto model = materialized({.flavor = "debugmodel", .depth_init = false});
  expect_std(weight(*model, "layers.0.attention.wo.weight"), 0.02 / std::sqrt(12.0));
  expect_std(weight(*model, "layers.5.feed_forward.w2.weight"), 0.02 / std::sqrt(12.0));
}

TEST(Initialization, Gpt2) {
  const auto model = materialized({.family = "gpt2", .flavor = "debugmodel"});
  expect_std(weight(*model, "wte.weight"), 0.02);
  expect_std(weight(*model, "h.3.attn.c_proj.weight"), 0.02 / std::sqrt(8.0));
  EXPECT_EQ(weight(*model, "h.0.attn.c_attn.bias").abs().max().item<double>(), 0.0);
}

TEST(Initialization, DependsOnSeedAndNameOnly) {
  at::set_num_threads(1);
  const auto one = materialized({.flavor = "debugmodel_2l"});
  at::set_num_threads(2);
  const auto two = materialized({.flavor = "debugmodel_2l"});
  const auto deeper = materialized({.flavor = "debugmodel"});
  const auto other_seed = materialized({.flavor = "debugmodel_2l"}, 43);
  const std::string wq = "layers.1.attention.wq.weight";
  EXPECT_TRUE(at::equal(weight(*one, wq), weight(*two, wq)));
  EXPECT_TRUE(at::equal(weight(*one, wq), weight(*deeper, wq)));
  EXPECT_FALSE(at::equal(weight(*one, wq), weight(*other_seed, wq)));
  EXPECT_FALSE(at::equal(weight(*one, wq), weight(*one, "layers.0.attention.wq.weight")));
}

}  // namespace
}  // namespace rhea
