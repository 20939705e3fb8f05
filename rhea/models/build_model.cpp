#include "rhea/models/build_model.h"

#include "rhea/core/edit_distance.h"
#include "rhea/core/error.h"
#include "rhea/models/gpt2/gpt2.h"
#include "rhea/models/llama/llama.h"

namespace rhea {
namespace {

std::unique_ptr<Model> build_llama(const ModelOptions& options) {
  LlamaArgs args = llama_size(options.flavor);
  args.vocab_size = options.vocab_size > 0 ? options.vocab_size : args.vocab_size;
  args.max_seq_len = options.max_seq_len > 0 ? options.max_seq_len : args.max_seq_len;
  args.depth_init = options.depth_init;
  args.qk_norm = options.qk_norm;
  args.tied = options.tied.value_or(args.tied);
  return std::make_unique<Llama>(args);
}

std::unique_ptr<Model> build_gpt2(const ModelOptions& options) {
  if (options.qk_norm) {
    fail_usage("model.qk_norm: the gpt2 family has no QK-norm; use model.name=llama3 or leave it off");
  }
  if (options.tied == false) {
    fail_usage("model.tie_embeddings: the gpt2 family always ties its head to the embedding table");
  }
  Gpt2Args args = gpt2_size(options.flavor);
  args.vocab_size = options.vocab_size > 0 ? options.vocab_size : args.vocab_size;
  args.max_seq_len = options.max_seq_len > 0 ? options.max_seq_len : args.max_seq_len;
  return std::make_unique<Gpt2>(args);
}

}  // namespace

std::unique_ptr<Model> build_model(const ModelOptions& options) {
  if (options.family == "llama3") {
    return build_llama(options);
  }
  if (options.family == "gpt2") {
    return build_gpt2(options);
  }
  fail_usage("model.name: there is no model family \"{}\"{}", options.family, did_you_mean(options.family, model_families()));
}

std::vector<std::string> model_families() {
  return {"llama3", "gpt2"};
}

std::vector<std::string> model_sizes(const std::string& family) {
  return family == "gpt2" ? gpt2_sizes() : llama_sizes();
}

}  // namespace rhea
