// Another project's program on an installed Rhea: builds a model from the parts and runs it once.
#include <rhea/models/build_model.h>

#include <ATen/ops/zeros.h>

#include <cstdio>

int main() {
  const auto model = rhea::build_model({.family = "llama3", .flavor = "debugmodel_2l", .vocab_size = 64, .max_seq_len = 16});
  model->materialize(at::kCPU, /*seed=*/1);
  const at::Tensor tokens = at::zeros({2, 16}, at::kLong);
  std::printf("%.4f\n", model->loss_sum({tokens, {}}, tokens).item<double>() / static_cast<double>(tokens.numel()));
}
