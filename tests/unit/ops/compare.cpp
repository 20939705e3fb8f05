#include "compare.h"

#include "rhea/core/error.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

namespace rhea::ops {
namespace {

std::vector<at::Tensor> as_leaves(const std::vector<at::Tensor>& inputs, bool widen) {
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs) {
    const bool differentiable = input.defined() && input.is_floating_point();
    at::Tensor leaf = differentiable ? input.detach() : input;
    if (differentiable) {
      // Strides are part of what is tested, so a leaf of the same dtype is the very same view.
      leaf = (widen ? leaf.to(at::kDouble) : leaf).set_requires_grad(true);
    }
    leaves.push_back(leaf);
  }
  return leaves;
}

// `direction_dtype` is what the random grad_output is rounded to: the op's and its reference's must be the same numbers.
std::vector<at::Tensor> run(const Op& op, const std::vector<at::Tensor>& leaves, std::optional<at::ScalarType> direction_dtype) {
  const at::Tensor output = op(leaves);
  const at::Tensor direction = random_tensor(output.sizes(), 77, direction_dtype.value_or(output.scalar_type()));
  output.backward(direction.to(output.scalar_type()));
  std::vector<at::Tensor> results{output.detach()};
  for (const at::Tensor& leaf : leaves) {
    results.push_back(leaf.defined() ? leaf.grad() : at::Tensor());
  }
  return results;
}

}  // namespace

at::Tensor random_tensor(at::IntArrayRef shape, std::uint64_t seed, at::ScalarType dtype) {
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::randn(shape, generator).to(dtype);
}

double relative_error(const at::Tensor& actual, const at::Tensor& expected) {
  EXPECT_EQ(actual.sizes(), expected.sizes());
  if (expected.numel() == 0) {
    return 0;
  }
  const at::Tensor wide = expected.to(at::kDouble);
  const double scale = wide.abs().max().item<double>();
  const double error = (actual.to(at::kDouble) - wide).abs().max().item<double>();
  return scale > 0 ? error / scale : error;
}

std::vector<at::Tensor> run_with_gradients(const Op& op, const std::vector<at::Tensor>& inputs) {
  return run(op, as_leaves(inputs, false), std::nullopt);
}

void expect_matches(const Op& op, const Op& reference, const std::vector<at::Tensor>& inputs, double tolerance) {
  const auto actual = run_with_gradients(op, inputs);
  const auto expected = run(reference, as_leaves(inputs, true), actual[0].scalar_type());
  EXPECT_LE(relative_error(actual[0], expected[0]), tolerance) << "output";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(actual[i + 1].defined(), expected[i + 1].defined()) << "gradient of input " << i;
    if (expected[i + 1].defined()) {
      EXPECT_EQ(actual[i + 1].scalar_type(), inputs[i].scalar_type()) << "gradient of input " << i;
      EXPECT_LE(relative_error(actual[i + 1], expected[i + 1]), tolerance) << "gradient of input " << i;
    }
  }
}

void expect_same_bits(const Op& op, const std::vector<at::Tensor>& inputs) {
  const int threads = at::get_num_threads();
  std::vector<std::vector<at::Tensor>> runs;
  for (const int count : {1, 2, 2}) {
    at::set_num_threads(count);
    runs.push_back(run_with_gradients(op, inputs));
  }
  at::set_num_threads(threads);
  for (std::size_t i = 0; i < runs[0].size(); ++i) {
    if (runs[0][i].defined()) {
      EXPECT_TRUE(at::equal(runs[0][i], runs[1][i])) << "result " << i << " with two threads";
      EXPECT_TRUE(at::equal(runs[1][i], runs[2][i])) << "result " << i << " again";
    }
  }
}

void expect_error(const std::function<void()>& f, std::string_view part) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
  }
}

}  // namespace rhea::ops
