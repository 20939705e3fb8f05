#include "rhea/ops/cross_entropy.h"

#include "rhea/core/error.h"
#include "rhea/ops/gemm.h"
#include "rhea/ops/gradient.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace rhea::ops {
namespace {

// Big enough for an efficient product, small enough that the logits of a block stay near 64 MiB.
std::int64_t block_tokens(std::int64_t vocab) {
  constexpr std::int64_t kLogits = std::int64_t{16} << 20;
  return std::clamp<std::int64_t>(kLogits / vocab / 64 * 64, 64, 1024);
}

void check_labels(const at::Tensor& labels, std::int64_t vocab) {
  const auto [low, high] = at::aminmax(labels);
  for (const std::int64_t label : {low.item<std::int64_t>(), high.item<std::int64_t>()}) {
    if (label < 0 || label >= vocab) {
      fail("linear_cross_entropy: label {} is not in the vocabulary of {} entries", label, vocab);
    }
  }
}

struct Sums {
  at::Tensor loss, grad_hidden, grad_weight;
};

// Turns logits into softmax - onehot(labels) in place; gives the block's loss.
at::Tensor softmax_loss(at::Tensor& logits, const at::Tensor& labels) {
  const at::Tensor target = labels.unsqueeze(1);
  const at::Tensor log_sum = logits.logsumexp(1, true);
  const at::Tensor loss = (log_sum - logits.gather(1, target)).sum();
  logits.sub_(log_sum).exp_();
  logits.scatter_add_(1, target, at::zeros_like(log_sum).sub_(1));
  return loss;
}

Sums run(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels, std::int64_t ignore_index,
         bool wants_hidden, bool wants_weight) {
  const std::int64_t vocab = weight.size(0), dim = weight.size(1);
  const at::ScalarType wide = hidden.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const auto options = hidden.options().dtype(wide);
  Sums sums{.loss = at::zeros({}, options), .grad_hidden = {}, .grad_weight = {}};
  if (wants_hidden) {
    sums.grad_hidden = at::zeros({hidden.size(0), dim}, options);
  }
  if (wants_weight) {
    sums.grad_weight = at::zeros({vocab, dim}, options);
  }
  const at::Tensor valid = labels.ne(ignore_index).nonzero().squeeze(1);
  const std::int64_t count = valid.size(0), step = block_tokens(vocab);
  if (count == 0) {
    return sums;
  }
  check_labels(labels.index_select(0, valid), vocab);
  const at::Tensor factor = as_factor(weight.to(hidden.scalar_type()));
  for (std::int64_t begin = 0; begin < count; begin += step) {
    const at::Tensor index = valid.narrow(0, begin, std::min(step, count - begin));
    const at::Tensor rows = as_factor(hidden.index_select(0, index));
    at::Tensor logits = multiply(rows, factor.t(), wide);
    sums.loss += softmax_loss(logits, labels.index_select(0, index));
    const at::Tensor grad_logits = logits.to(rows.scalar_type());
    if (wants_hidden) {
      sums.grad_hidden.index_copy_(0, index, multiply(grad_logits, factor, wide));
    }
    if (wants_weight) {
      sums.grad_weight += multiply(grad_logits.t(), rows, wide);
    }
  }
  return sums;
}

}  // namespace

at::Tensor linear_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                                std::int64_t ignore_index) {
  const bool wants_hidden = needs_gradient({hidden}), wants_weight = needs_gradient({weight});
  Sums sums;
  {
    const c10::NoGradGuard no_grad;
    sums = run(hidden.detach(), weight.detach(), labels, ignore_index, wants_hidden, wants_weight);
  }
  const auto hidden_dtype = hidden.scalar_type(), weight_dtype = weight.scalar_type();
  auto backward = [=, grad_hidden = sums.grad_hidden, grad_weight = sums.grad_weight](at::TensorList grad) {
    std::vector<at::Tensor> grads(2);
    if (grad[0].defined() && grad_hidden.defined()) {
      grads[0] = (grad_hidden * grad[0]).to(hidden_dtype);
    }
    if (grad[0].defined() && grad_weight.defined()) {
      grads[1] = (grad_weight * grad[0]).to(weight_dtype);
    }
    return grads;
  };
  return with_gradient("linear_cross_entropy", {hidden, weight}, {sums.loss}, std::move(backward))[0];
}

}  // namespace rhea::ops
