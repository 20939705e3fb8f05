#include "rhea/eval/generate.h"

#include "rhea/core/error.h"
#include "rhea/models/model.h"

#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace rhea {
namespace {

std::int64_t next_token(Model& model, const at::Tensor& tokens, KeyValueCache& cache, const GenerateOptions& options,
                        std::uint64_t draw) {
  const at::Tensor hidden = model.hidden_states_cached(tokens, cache).select(1, -1);
  const at::Tensor logits = model.logits(hidden).reshape({-1}).to(at::kCPU).contiguous();
  const std::int64_t vocab = options.vocab_size > 0 ? std::min(options.vocab_size, logits.numel()) : logits.numel();
  return sample_token({logits.const_data_ptr<float>(), static_cast<std::size_t>(vocab)}, options.sampling, draw);
}

}  // namespace

std::vector<std::int64_t> generate(Model& model, std::span<const std::int64_t> prompt, const GenerateOptions& options,
                                   const std::function<void(std::int64_t)>& on_token) {
  const c10::NoGradGuard no_grad;
  if (prompt.empty()) {
    fail("generate: an empty prompt; give at least one token, the begin-of-text token for example");
  }
  const auto positions = model.shape().max_seq_len;
  const auto prompt_length = static_cast<std::int64_t>(prompt.size());
  if (prompt_length > positions) {
    fail("generate: a prompt of {} tokens is longer than the model's {} positions", prompt_length, positions);
  }
  const at::Device device = model.output_weight().tensor.device();
  const auto to_row = [device](std::span<const std::int64_t> tokens) {
    return at::tensor(at::ArrayRef<std::int64_t>(tokens.data(), tokens.size()), at::TensorOptions(at::kLong))
        .unsqueeze(0)
        .to(device);
  };
  KeyValueCache cache;
  std::vector<std::int64_t> generated;
  at::Tensor tokens = to_row(prompt);
  while (static_cast<std::int64_t>(generated.size()) < options.max_new_tokens && cache.length + tokens.size(1) <= positions) {
    const std::int64_t token = next_token(model, tokens, cache, options, generated.size());
    if (token == options.stop_token) {
      break;
    }
    generated.push_back(token);
    if (on_token) {
      on_token(token);
    }
    tokens = to_row(std::span(&generated.back(), 1));
  }
  return generated;
}

}  // namespace rhea
