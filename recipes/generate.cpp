// Generating text with a trained model, with a key-value cache.
//
//   rhea run generate generate.checkpoint=outputs generate.prompt="a kind of" generate.temperature=0.7
//
// What this file is: from a checkpoint to text, nothing else. The model's shape comes from the config.toml that the
// checkpoint holds, the tokenizer from the run's folder. Texts go to standard output, everything else to standard error.

#include <rhea/checkpoint/step_folders.h>
#include <rhea/checkpoint/store.h>
#include <rhea/config/generate_config.h>
#include <rhea/config/parse.h>
#include <rhea/config/pretrain_config.h>
#include <rhea/core/log.h>
#include <rhea/distributed/world.h>
#include <rhea/eval/generate.h>
#include <rhea/tokenizers/text_stream.h>
#include <rhea/tokenizers/tokenizer.h>
#include <rhea/train/build.h>
#include <rhea/train/mixed_precision.h>
#include <rhea/train/program.h>
#include <rhea/train/training_state.h>

#include <cstdio>
#include <filesystem>
#include <vector>

using namespace rhea;

namespace {

// The run's own tokenizer stands two folders above checkpoint/step-N.
std::filesystem::path tokenizer_path(const GenerateConfig& config, const std::filesystem::path& checkpoint) {
  return config.tokenizer.empty() ? std::filesystem::canonical(checkpoint).parent_path().parent_path() / "tokenizer"
                                  : std::filesystem::path(config.tokenizer);
}

std::vector<std::int64_t> encode_prompt(const Tokenizer& tokenizer, const std::string& prompt) {
  std::vector<std::int64_t> ids;
  if (tokenizer.bos_id()) {
    ids.push_back(*tokenizer.bos_id());
  }
  for (const std::int32_t id : tokenizer.encode(prompt)) {
    ids.push_back(id);
  }
  if (ids.empty()) {
    ids.push_back(tokenizer.eos_id().value_or(0));
  }
  return ids;
}

void write_text(const GenerateConfig& config) {
  const World world({.device = config.device});
  const std::filesystem::path checkpoint = resolve_checkpoint(config.checkpoint);
  const PretrainConfig run = read_run_config(checkpoint / "config.toml");
  const auto tokenizer = load_tokenizer(tokenizer_path(config, checkpoint));

  const auto model = build_model(run, tokenizer->vocab_size());
  const MixedPrecision precision(config.dtype, *model, world.device());
  model->materialize(world.device(), /*seed=*/0);
  restore_model(*model, read_checkpoint_model(checkpoint), checkpoint.string());
  log_info("model {} {} from {}", run.model.name, run.model.flavor, checkpoint.string());

  GenerateOptions options;
  options.sampling = {config.temperature, config.top_k, config.top_p, static_cast<std::uint64_t>(config.seed)};
  options.max_new_tokens = config.max_new_tokens;
  options.stop_token = tokenizer->eos_id();
  options.vocab_size = tokenizer->vocab_size();
  const std::vector<std::int64_t> prompt = encode_prompt(*tokenizer, config.prompt);
  for (std::int64_t sample = 0; sample < config.num_samples; ++sample, ++options.sampling.seed) {
    TextStream stream;
    const auto show = [](const std::string& text) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    };
    show(config.prompt);
    generate(*model, prompt, options, [&](std::int64_t token) {
      show(stream.push(tokenizer->decode(std::vector<std::int32_t>{static_cast<std::int32_t>(token)})));
    });
    show(stream.finish() + "\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  run_program([&] {
    GenerateConfig config;
    if (parse_config(config, {"generate", "write text with a trained model"}, argc, argv)) {
      check(config);
      write_text(config);
    }
  });
}
