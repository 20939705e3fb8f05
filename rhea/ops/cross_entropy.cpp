#include "rhea/ops/cross_entropy.h"

#include "rhea/core/error.h"
#include "rhea/ops/cpu/element_type.h"
#include "rhea/ops/cpu/rowwise_kernels.h"
#include "rhea/ops/gemm.h"
#include "rhea/ops/gradient.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <fmt/ranges.h>

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

struct BlockLoss {
  at::Tensor loss;         // of the block's tokens, summed
  at::Tensor grad_logits;  // softmax - onehot(labels) in the factors' dtype, if wanted
};

BlockLoss softmax_loss_aten(const at::Tensor& logits, const at::Tensor& labels, at::ScalarType dtype) {
  const at::Tensor target = labels.unsqueeze(1);
  const at::Tensor log_sum = logits.logsumexp(1, true);
  const at::Tensor loss = (log_sum - logits.gather(1, target)).sum();
  logits.sub_(log_sum).exp_();
  logits.scatter_add_(1, target, at::full_like(log_sum, -1));
  return {loss, logits.to(dtype)};
}

// One pass in the cache a row, in place: bf16 gradients come to lie in the first half of each row of logits.
BlockLoss softmax_loss(const at::Tensor& logits, const at::Tensor& labels, at::ScalarType dtype, bool wants_gradient) {
  if (!logits.is_cpu() || logits.scalar_type() != at::kFloat || (dtype != at::kFloat && dtype != at::kBFloat16)) {
    return softmax_loss_aten(logits, labels, dtype);
  }
  const std::int64_t rows = logits.size(0), vocab = logits.size(1);
  const at::Tensor losses = at::empty({rows}, logits.options());
  cpu::with_element_type(dtype, [&]<class T>(T) {
    at::parallel_for(0, rows, 1, [&](std::int64_t begin, std::int64_t end) {
      cpu::softmax_cross_entropy<T>(end - begin, vocab, logits.mutable_data_ptr<float>() + begin * vocab,
                                    labels.const_data_ptr<std::int64_t>() + begin, wants_gradient,
                                    losses.mutable_data_ptr<float>() + begin);
    });
  });
  return {losses.sum(), dtype == at::kFloat ? logits : logits.view(at::kBFloat16).narrow(1, 0, vocab)};
}

Sums run(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels, std::int64_t ignore_index,
         bool wants_hidden, bool wants_weight) {
  const std::int64_t vocab = weight.size(0), dim = weight.size(1);
  const at::ScalarType dtype = hidden.scalar_type(), wide = sum_dtype(dtype);
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
  const PreparedFactor to_logits(weight.t(), dtype), to_hidden(wants_hidden ? weight : weight.narrow(0, 0, 0), dtype);
  for (std::int64_t begin = 0; begin < count; begin += step) {
    const at::Tensor index = valid.narrow(0, begin, std::min(step, count - begin));
    const at::Tensor rows = hidden.index_select(0, index);
    const at::Tensor logits = multiply(rows, to_logits, wide);
    const BlockLoss block = softmax_loss(logits, labels.index_select(0, index), dtype, wants_hidden || wants_weight);
    sums.loss += block.loss;
    if (wants_hidden) {
      sums.grad_hidden.index_copy_(0, index, multiply(block.grad_logits, to_hidden, wide));
    }
    if (wants_weight) {
      multiply_add(sums.grad_weight, block.grad_logits.t(), rows);
    }
  }
  return sums;
}

}  // namespace

at::Tensor linear_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                                std::int64_t ignore_index) {
  if (hidden.dim() != 2 || weight.dim() != 2 || hidden.size(1) != weight.size(1) || labels.dim() != 1 ||
      labels.size(0) != hidden.size(0) || labels.scalar_type() != at::kLong) {
    fail(
        "linear_cross_entropy: expected hidden [tokens, dim], weight [vocab, dim] and labels [tokens] int64; got [{}], [{}] and "
        "[{}] {}",
        fmt::join(hidden.sizes(), ", "), fmt::join(weight.sizes(), ", "), fmt::join(labels.sizes(), ", "),
        c10::toString(labels.scalar_type()));
  }
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
