// Generating text with a key-value cache: one forward pass over the prompt, then one token at a time.
#pragma once

#include "rhea/eval/sampling.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace rhea {

class Model;

struct GenerateOptions {
  SamplingOptions sampling;
  std::int64_t max_new_tokens = 200;
  std::int64_t vocab_size = 0;  // only ids below this, where the tokenizer has fewer than the model; 0: all of the model's
  std::optional<std::int64_t> stop_token{};  // ends the text and is not part of it
};

// The new tokens after the prompt (at least one token). Stops early at stop_token and where the model's positions end.
// on_token, where given, sees each token as soon as it is chosen. No gradients.
std::vector<std::int64_t> generate(Model& model, std::span<const std::int64_t> prompt, const GenerateOptions& options,
                                   const std::function<void(std::int64_t)>& on_token = {});

}  // namespace rhea
