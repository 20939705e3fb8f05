#include "rhea/ops/checkpoint_activations.h"

#include "compare.h"
#include "rhea/core/error.h"
#include "rhea/ops/gradient.h"
#include "rhea/ops/linear.h"
#include "rhea/ops/swiglu.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

namespace rhea::ops {
namespace {

using Block = std::function<at::Tensor(const at::Tensor&)>;

Block block_with(const at::Tensor& weight) {
  return [weight](const at::Tensor& x) { return x + swiglu(ops::linear(x, weight), x); };
}

struct Gradients {
  at::Tensor x, first, second;
};

Gradients gradients_of(const std::function<Block(Block)>& wrap) {
  const at::Tensor x = random_tensor({6, 8}, 1).set_requires_grad(true);
  const at::Tensor first = random_tensor({8, 8}, 2).set_requires_grad(true),
                   second = random_tensor({8, 8}, 3).set_requires_grad(true);
  const Block inner = wrap(block_with(first));
  const Block outer = wrap([inner, last = block_with(second)](const at::Tensor& in) { return last(inner(in)); });
  (outer(x) * random_tensor({6, 8}, 4)).sum().backward();
  return {x.grad(), first.grad(), second.grad()};
}

TEST(Checkpoint, GivesTheSameBitsAlsoWhenNested) {
  const Gradients plain = gradients_of([](Block f) { return f; });
  const Gradients recomputed = gradients_of([](Block f) { return Block([f](const at::Tensor& x) { return checkpoint(f, x); }); });
  EXPECT_TRUE(at::equal(plain.x, recomputed.x));
  EXPECT_TRUE(at::equal(plain.first, recomputed.first));
  EXPECT_TRUE(at::equal(plain.second, recomputed.second));
}

// An op that counts how many of its saved tensors are alive.
at::Tensor counted(const at::Tensor& x, const std::shared_ptr<int>& alive, int& peak) {
  if (!needs_gradient({x})) {
    return x + 1;
  }
  peak = std::max(peak, ++*alive);
  const std::shared_ptr<int> saved(alive.get(), [alive](int* count) { --*count; });
  return with_gradient("counted", {x}, {(x.detach() + 1)},
                       [saved](at::TensorList grad) { return std::vector<at::Tensor>{grad[0]}; })[0];
}

TEST(Checkpoint, KeepsNothingOfABlockButItsInput) {
  const auto alive = std::make_shared<int>(0);
  int peak = 0;
  const Block block = [&](const at::Tensor& x) { return counted(counted(counted(x, alive, peak), alive, peak), alive, peak); };
  at::Tensor x = random_tensor({4}, 1).set_requires_grad(true);
  at::Tensor y = x;
  for (int i = 0; i < 10; ++i) {
    y = checkpoint(block, y);
  }
  EXPECT_EQ(*alive, 0);
  y.sum().backward();
  EXPECT_EQ(peak, 3);
  EXPECT_EQ(*alive, 0);
}

TEST(Checkpoint, PassesAnInputThrough) {
  const at::Tensor x = random_tensor({4}, 1).set_requires_grad(true);
  checkpoint([](const at::Tensor& in) { return in; }, x).sum().backward();
  EXPECT_EQ(x.grad().sum().item<float>(), 4.0F);
}

TEST(Checkpoint, RecordsNothingWithoutGradients) {
  EXPECT_FALSE(checkpoint([](const at::Tensor& x) { return x + 1; }, random_tensor({4}, 1)).requires_grad());
}

TEST(Gradient, RefusesASecondBackward) {
  const at::Tensor x = random_tensor({4}, 1).set_requires_grad(true);
  const at::Tensor y = swiglu(x, x).sum();
  y.backward();
  expect_error([&] { y.backward(); }, "a second time");
}

}  // namespace
}  // namespace rhea::ops
