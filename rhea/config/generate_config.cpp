#include "rhea/config/generate_config.h"

#include "rhea/core/error.h"

namespace rhea {

void GenerateConfig::declare(KeyTable& keys) {
  keys.section("generate", "Writing text with a trained model");
  keys.add("checkpoint", &checkpoint, "a run's folder (its latest checkpoint) or a checkpoint/step-N folder. Required");
  keys.add("prompt", &prompt, "the text to go on from; empty: from the begin-of-text token");
  keys.add("tokenizer", &tokenizer, "a tokenizer.json, .model, .tiktoken or tekken.json, or its folder; empty: the run's own");
  keys.add("max_new_tokens", &max_new_tokens, "longest text, in tokens", at_least(1));
  keys.add("num_samples", &num_samples, "how many texts", at_least(1));
  keys.add("temperature", &temperature, "higher is bolder; 0: always the likeliest token", at_least(0));
  keys.add("top_k", &top_k, "draw among the k likeliest tokens only; 0: all", at_least(0));
  keys.add("top_p", &top_p, "draw among the likeliest tokens that together have this probability", above_and_at_most(0, 1));
  keys.add("seed", &seed, "the same seed writes the same text", at_least(0));
  keys.add("dtype", &dtype, "precision of activations and products", one_of({"float32", "bfloat16"}));
  keys.add("device", &device, "where to compute; auto takes a GPU if there is one", one_of({"auto", "cpu", "cuda"}));
}

void check(const GenerateConfig& config) {
  if (config.checkpoint.empty()) {
    fail_usage("generate.checkpoint is not set: name a run's folder (generate.checkpoint=outputs)");
  }
}

}  // namespace rhea
