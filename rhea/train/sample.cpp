#include "rhea/train/sample.h"

#include "rhea/eval/generate.h"
#include "rhea/models/model.h"
#include "rhea/tokenizers/text_stream.h"
#include "rhea/tokenizers/tokenizer.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace rhea {

void print_sample(Model& model, const Tokenizer& tokenizer, std::int64_t tokens, std::uint64_t seed) {
  const std::vector<std::int64_t> prompt = {tokenizer.bos_id().value_or(tokenizer.eos_id().value_or(0))};
  GenerateOptions options;
  options.sampling = {.temperature = 0.5, .top_p = 0.9, .seed = seed};
  options.stop_token = tokenizer.eos_id();
  options.vocab_size = tokenizer.vocab_size();
  std::string text;
  // Documents are short: start another one until there is enough to look at. An empty one counts as a token, or a model
  // that has learned nothing else would go on for ever.
  for (std::int64_t left = tokens; left > 0; ++options.sampling.seed) {
    options.max_new_tokens = left;
    const auto generated = generate(model, prompt, options);
    text += tokenizer.decode(std::vector<std::int32_t>(generated.begin(), generated.end()), /*skip_special_tokens=*/true);
    left -= std::max<std::int64_t>(static_cast<std::int64_t>(generated.size()), 1);
  }
  TextStream stream;
  const std::string shown = stream.push(text) + stream.finish();
  std::printf("\na sample of what the model writes:\n\n%s\n", shown.c_str());
}

}  // namespace rhea
