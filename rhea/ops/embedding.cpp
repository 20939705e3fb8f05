#include "rhea/ops/embedding.h"

#include "rhea/core/error.h"
#include "rhea/ops/gradient.h"

#include <ATen/ops/aminmax.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/index_select.h>
#include <c10/core/GradMode.h>

namespace rhea::ops {
namespace {

void check_tokens(const at::Tensor& tokens, std::int64_t vocab) {
  if (tokens.numel() == 0) {
    return;
  }
  const auto [low, high] = at::aminmax(tokens);
  for (const std::int64_t token : {low.item<std::int64_t>(), high.item<std::int64_t>()}) {
    if (token < 0 || token >= vocab) {
      fail("embedding: token {} is not in the vocabulary of {} entries; was the text encoded with this model's tokenizer?", token,
           vocab);
    }
  }
}

}  // namespace

at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight, at::ScalarType dtype) {
  const std::int64_t vocab = weight.size(0), dim = weight.size(1);
  check_tokens(tokens, vocab);
  const at::Tensor ids = tokens.reshape({-1});
  std::vector<std::int64_t> shape = tokens.sizes().vec();
  shape.push_back(dim);
  at::Tensor y;
  {
    const c10::NoGradGuard no_grad;
    y = at::index_select(weight.detach(), 0, ids).to(dtype).view(shape);
  }
  return with_gradient("embedding", {weight}, {y}, [=](at::TensorList grad) -> std::vector<at::Tensor> {
    if (!grad[0].defined()) {
      return {at::Tensor()};
    }
    const at::Tensor rows = grad[0].reshape({-1, dim}).to(at::kFloat);
    return {at::embedding_dense_backward(rows, ids, vocab, -1, false)};
  })[0];
}

}  // namespace rhea::ops
