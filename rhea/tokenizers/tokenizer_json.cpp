// From a tokenizer.json to the stages of a Tokenizer.
#include "rhea/tokenizers/tokenizer_json.h"

namespace rhea {
namespace {

AddedToken read_added_token(const JsonView& entry, const Vocabulary& vocabulary) {
  AddedToken token;
  token.content = entry["content"].string();
  token.id = static_cast<std::int32_t>(entry["id"].integer(0, (1 << 24) - 1));
  token.special = entry.boolean("special", false);
  token.normalized = entry.boolean("normalized", !token.special);
  token.single_word = entry.boolean("single_word", false);
  token.lstrip = entry.boolean("lstrip", false);
  token.rstrip = entry.boolean("rstrip", false);
  if (token.content.empty()) {
    entry["content"].refuse("is empty");
  }
  const auto known = vocabulary.id_of(token.content);
  const auto& tokens = vocabulary.tokens();
  const bool taken = static_cast<std::size_t>(token.id) < tokens.size() && !tokens[token.id].empty();
  if (known ? *known != token.id : taken) {
    entry["id"].refuse("id {} of \"{}\" contradicts model.vocab, where {}", token.id, token.content,
                       known ? fmt::format("that token is {}", *known) : fmt::format("that id is \"{}\"", tokens[token.id]));
  }
  return token;
}

void add_tokens(const JsonView& top, TokenizerParts& parts) {
  for (const JsonView& entry : top.has("added_tokens") ? top["added_tokens"].items() : std::vector<JsonView>()) {
    AddedToken token = read_added_token(entry, parts.model->vocabulary());
    std::string storage;
    token.written = token.normalized ? std::string(parts.normalizer.apply(token.content, storage)) : token.content;
    (token.normalized ? parts.normalized_tokens : parts.raw_tokens).add(token.written, token);
    parts.added.push_back(token);
  }
  index_added_tokens(parts);
}

}  // namespace

std::unique_ptr<TokenizerParts> read_tokenizer_json(const JsonView& top) {
  for (const char* name : {"truncation", "padding"}) {
    if (top.has(name)) {
      top[name].refuse("is not supported; set it to null");
    }
  }
  auto parts = std::make_unique<TokenizerParts>();
  parts->normalizer = read_normalizer(top);
  parts->pre_tokenizer = read_pre_tokenizer(top, /*bytes_at_the_end=*/subword_model_type(top["model"]) == "BPE");
  parts->model = read_subword_model(top["model"], parts->pre_tokenizer.alphabet);
  if (parts->model->words_stand_alone()) {  // short words come from the cache, where a whole text would have to be merged
    parts->pre_tokenizer.stages.push_back(word_splitter());
  }
  parts->post_processor = read_post_processor(top);
  parts->decoder = read_decoder(top);
  add_tokens(top, *parts);
  return parts;
}

}  // namespace rhea
