#include "rhea/optim/optimizer.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rhea/core/error.h"
#include "rhea/core/random.h"

namespace rhea {
namespace {

at::Tensor normal(const std::string& name, at::IntArrayRef shape) {
  at::Tensor tensor = at::zeros(shape);
  fill_normal({tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())}, hash_name(name), 0);
  return tensor;
}

std::vector<NamedTensor> make_parameters() {
  std::vector<NamedTensor> parameters;
  parameters.push_back({"matrix", normal("matrix", {7, 13})});
  parameters.push_back({"vector", normal("vector", {37})});
  for (const NamedTensor& parameter : parameters) {
    parameter.tensor.requires_grad_();
  }
  return parameters;
}

void set_gradients(const std::vector<NamedTensor>& parameters, int step) {
  for (const NamedTensor& parameter : parameters) {
    parameter.tensor.mutable_grad() = normal(fmt::format("{} gradient {}", parameter.name, step), parameter.tensor.sizes());
  }
}

std::vector<double> to_doubles(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().contiguous();
  const float* data = flat.data_ptr<float>();
  return {data, data + flat.numel()};
}

// Every step rounds the weight (about 1, so half a unit in the last place is 6e-8) and moves it by lr = 0.01 with a
// relative error of a few units: ten steps of fp32 stay within 10 * (6e-8 + 0.01 * 4 * 1.2e-7) < 1e-6 for |w| <= 2, and
// twice that for |w| <= 4, which bounds the weights here.
constexpr double kTolerance = 2e-6;
constexpr int kSteps = 10;
constexpr double kLr = 0.01;

struct AdamWReference {
  std::vector<double> weight, first, second;

  void step(const std::vector<double>& gradient, int t, const OptimizerOptions& o, double decay) {
    for (std::size_t i = 0; i < weight.size(); ++i) {
      weight[i] *= 1 - kLr * decay;
      first[i] = o.beta1 * first[i] + (1 - o.beta1) * gradient[i];
      second[i] = o.beta2 * second[i] + (1 - o.beta2) * gradient[i] * gradient[i];
      const double m = first[i] / (1 - std::pow(o.beta1, t)), v = second[i] / (1 - std::pow(o.beta2, t));
      weight[i] -= kLr * m / (std::sqrt(v) + o.eps);
    }
  }
};

void expect_adamw_follows_the_formula(const OptimizerOptions& options) {
  const auto parameters = make_parameters();
  std::vector<AdamWReference> references;
  for (const NamedTensor& parameter : parameters) {
    const std::vector<double> zeros(static_cast<std::size_t>(parameter.tensor.numel()));
    references.push_back({to_doubles(parameter.tensor), zeros, zeros});
  }
  const auto optimizer = build_optimizer(options, parameters);
  for (int t = 1; t <= kSteps; ++t) {
    set_gradients(parameters, t);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const bool decays = options.decay == "all" || parameters[p].tensor.dim() >= 2;
      references[p].step(to_doubles(parameters[p].tensor.grad()), t, options, decays ? options.weight_decay : 0);
    }
    optimizer->step(kLr);
    optimizer->zero_grad();
  }
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const auto found = to_doubles(parameters[p].tensor);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], references[p].weight[i], kTolerance) << parameters[p].name << "[" << i << "]";
    }
  }
}

TEST(AdamW, FollowsTheFormulaWithDecayOnAll) {
  expect_adamw_follows_the_formula({.weight_decay = 0.5});
}

TEST(AdamW, FollowsTheFormulaWithDecayOnMatrices) {
  expect_adamw_follows_the_formula({.beta1 = 0.8, .beta2 = 0.99, .eps = 1e-3, .weight_decay = 0.5, .decay = "matrices"});
}

TEST(Sgd, FollowsTheFormula) {
  for (const double momentum : {0.0, 0.9}) {
    const auto parameters = make_parameters();
    std::vector<double> weight = to_doubles(parameters[0].tensor), buffer(weight.size());
    const auto optimizer = build_optimizer({.name = "SGD", .weight_decay = 0.1, .momentum = momentum}, parameters);
    for (int t = 1; t <= kSteps; ++t) {
      set_gradients(parameters, t);
      const auto gradient = to_doubles(parameters[0].tensor.grad());
      for (std::size_t i = 0; i < weight.size(); ++i) {
        buffer[i] = momentum * buffer[i] + gradient[i] + 0.1 * weight[i];
        weight[i] -= kLr * buffer[i];
      }
      optimizer->step(kLr);
    }
    const auto found = to_doubles(parameters[0].tensor);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], weight[i], kTolerance) << "momentum " << momentum << " [" << i << "]";
    }
    EXPECT_EQ(optimizer->state().size(), momentum == 0 ? 1 : 3);
  }
}

TEST(Optimizer, StateRoundTripIsExact) {
  for (const OptimizerOptions& options : {OptimizerOptions{}, OptimizerOptions{.name = "SGD", .momentum = 0.9}}) {
    const auto parameters = make_parameters();
    const auto optimizer = build_optimizer(options, parameters);
    for (int t = 1; t <= 5; ++t) {
      set_gradients(parameters, t);
      optimizer->step(kLr);
    }
    auto copies = make_parameters();
    for (std::size_t p = 0; p < copies.size(); ++p) {
      copies[p].tensor = parameters[p].tensor.detach().clone().requires_grad_();
    }
    const auto resumed = build_optimizer(options, copies);
    resumed->load_state(optimizer->state());
    for (int t = 6; t <= 10; ++t) {
      set_gradients(parameters, t);
      set_gradients(copies, t);
      optimizer->step(kLr);
      resumed->step(kLr);
    }
    for (std::size_t p = 0; p < copies.size(); ++p) {
      EXPECT_TRUE(at::equal(copies[p].tensor, parameters[p].tensor)) << parameters[p].name;
    }
    for (const auto& [name, tensor] : optimizer->state()) {
      EXPECT_TRUE(at::equal(tensor, resumed->state().at(name))) << name;
    }
  }
}

TEST(Optimizer, StateNames) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : build_optimizer({}, make_parameters())->state()) {
    names.push_back(name);
  }
  const std::vector<std::string> expected = {"matrix.exp_avg", "matrix.exp_avg_sq", "step", "vector.exp_avg",
                                             "vector.exp_avg_sq"};
  EXPECT_EQ(names, expected);
}

TEST(Optimizer, ParametersWithoutGradientStay) {
  const auto parameters = make_parameters();
  const at::Tensor before = parameters[1].tensor.detach().clone();
  const auto optimizer = build_optimizer({}, parameters);
  parameters[0].tensor.mutable_grad() = normal("g", {7, 13});
  optimizer->step(kLr);
  EXPECT_TRUE(at::equal(parameters[1].tensor, before));
  EXPECT_FALSE(at::equal(parameters[0].tensor, normal("matrix", {7, 13})));
}

TEST(Optimizer, TakesGradientsOfAnyStrides) {
  const auto straight = make_parameters(), transposed = make_parameters();
  straight[0].tensor.mutable_grad() = normal("g", {13, 7}).t().contiguous();
  transposed[0].tensor.mutable_grad() = normal("g", {13, 7}).t();
  build_optimizer({}, straight)->step(kLr);
  build_optimizer({}, transposed)->step(kLr);
  EXPECT_TRUE(at::equal(straight[0].tensor, transposed[0].tensor));
}

TEST(Optimizer, ZeroGradDropsGradients) {
  const auto parameters = make_parameters();
  const auto optimizer = build_optimizer({}, parameters);
  set_gradients(parameters, 1);
  optimizer->zero_grad();
  EXPECT_FALSE(parameters[0].tensor.grad().defined());
}

TEST(Optimizer, LoadStateNamesAllThatIsWrongAndChangesNothing) {
  const auto optimizer = build_optimizer({}, make_parameters());
  TensorMap saved = optimizer->state();
  saved["step"] = normal("step", {});
  saved.erase("matrix.exp_avg");
  saved["vector.exp_avg"] = at::zeros({3});
  saved["stranger"] = at::zeros({1});
  try {
    optimizer->load_state(saved);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "1 missing: matrix.exp_avg", error.what());
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "1 unexpected: stranger", error.what());
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "1 of another shape: vector.exp_avg (expected [37], found [3])", error.what());
  }
  EXPECT_EQ(optimizer->state().at("step").item<float>(), 0);
}

TEST(CheckAndCopy, ListsTheFirstTen) {
  TensorMap source;
  for (int i = 0; i < 25; ++i) {
    source[fmt::format("extra{:02}", i)] = at::zeros({1});
  }
  try {
    check_and_copy(source, {}, "step-5");
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "step-5 does not fit", error.what());
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "25 unexpected: extra00", error.what());
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "extra09, ...", error.what());
    EXPECT_PRED_FORMAT2(testing::IsNotSubstring, "extra10", error.what());
  }
}

std::string refusal(const OptimizerOptions& options, std::vector<NamedTensor> parameters = make_parameters()) {
  try {
    build_optimizer(options, std::move(parameters));
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error";
}

TEST(Optimizer, RefusesWrongOptions) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "optimizer.name: expected \"AdamW\" or \"SGD\", found \"Adam\"",
                      refusal({.name = "Adam"}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "optimizer.beta1: expected a number in [0, 1), found 1", refusal({.beta1 = 1.0}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "optimizer.beta2", refusal({.beta2 = -0.1}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "optimizer.eps", refusal({.eps = std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "optimizer.weight_decay", refusal({.weight_decay = -1}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "optimizer.decay", refusal({.decay = "none"}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "optimizer.momentum", refusal({.name = "SGD", .momentum = 1.0}));
}

TEST(Optimizer, RefusesWrongParameters) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "no parameter", refusal({}, {}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "parameter w must be a contiguous float32 leaf",
                      refusal({}, {{"w", normal("w", {2, 3}).t()}}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "BFloat16", refusal({}, {{"w", normal("w", {2}).to(at::kBFloat16)}}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "two parameters are named w",
                      refusal({}, {{"w", normal("w", {2})}, {"w", normal("w", {2})}}));
}

}  // namespace
}  // namespace rhea
