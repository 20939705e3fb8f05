// From a tokenizer.json to the stages of a Tokenizer.
#include "rhea/core/files.h"
#include "rhea/core/random.h"
#include "rhea/tokenizers/tokenizer.h"
#include "rhea/tokenizers/tokenizer_parts.h"

namespace rhea {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;  // Llama 3's is 9 MB

constexpr std::string_view kUsualBos[] = {"<|begin_of_text|>", "<s>", "<bos>", "<|endoftext|>"};
constexpr std::string_view kUsualEos[] = {"<|end_of_text|>", "</s>", "<eos>", "<|endoftext|>"};

std::string file_name(const std::filesystem::path& path) {
  return path.string();
}

// Parses the text, which simdjson wants padded.
simdjson::dom::element parse(simdjson::dom::parser& parser, const std::string& file, std::string& text) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  simdjson::dom::element top;
  if (const auto error = parser.parse(text).get(top)) {
    fail("{}: no valid JSON: {}", file, simdjson::error_message(error));
  }
  return top;
}

// The content of bos_token or eos_token in tokenizer_config.json: a string, or an object with the string in it.
std::optional<std::string> configured_token(const JsonView& config, std::string_view name) {
  if (!config.has(name)) {
    return std::nullopt;
  }
  const JsonView value = config[name];
  return std::string(value.is_object() ? value["content"].string() : value.string());
}

std::optional<std::int32_t> find_token(const TokenizerParts& parts, std::string_view content) {
  for (const AddedToken& token : parts.added) {
    if (token.content == content) {
      return token.id;
    }
  }
  return parts.model->vocabulary().id_of(content);
}

std::optional<std::int32_t> usual_token(const TokenizerParts& parts, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto id = find_token(parts, name)) {
      return id;
    }
  }
  return std::nullopt;
}

void find_bos_and_eos(TokenizerParts& parts, const std::filesystem::path& config_path) {
  parts.bos_id = usual_token(parts, kUsualBos);
  parts.eos_id = usual_token(parts, kUsualEos);
  if (!std::filesystem::exists(config_path)) {
    return;
  }
  const std::string file = file_name(config_path);
  std::string text = read_file(config_path, kMaxFileBytes);
  simdjson::dom::parser parser;
  const JsonView config(file, "", parse(parser, file, text));
  for (const auto& [name, id] : {std::pair("bos_token", &parts.bos_id), std::pair("eos_token", &parts.eos_id)}) {
    if (const auto content = configured_token(config, name)) {
      *id = find_token(parts, *content);
      if (!*id) {
        config[name].refuse("\"{}\" is no token of the tokenizer.json beside it", *content);
      }
    }
  }
}

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
    parts.vocab_size = std::max(parts.vocab_size, std::int64_t{token.id} + 1);
    parts.added.push_back(token);
  }
  parts.added_by_id.assign(static_cast<std::size_t>(parts.vocab_size), -1);
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    parts.added_by_id[static_cast<std::size_t>(parts.added[i].id)] = static_cast<std::int32_t>(i);
  }
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& path) {
  const std::filesystem::path json_path = std::filesystem::is_directory(path) ? path / "tokenizer.json" : path;
  const std::string file = file_name(json_path);
  std::string text = read_file(json_path, kMaxFileBytes);
  const std::uint64_t hash = hash_name(text);
  simdjson::dom::parser parser;
  const JsonView top(file, "", parse(parser, file, text));
  for (const char* name : {"truncation", "padding"}) {
    if (top.has(name)) {
      top[name].refuse("is not supported; set it to null");
    }
  }
  auto parts = std::make_unique<TokenizerParts>();
  parts->hash = hash;
  parts->normalizer = read_normalizer(top);
  parts->pre_tokenizer = read_pre_tokenizer(top, /*bytes_at_the_end=*/subword_model_type(top["model"]) == "BPE");
  parts->model = read_subword_model(top["model"], parts->pre_tokenizer.alphabet);
  parts->post_processor = read_post_processor(top);
  parts->decoder = read_decoder(top);
  parts->vocab_size = static_cast<std::int64_t>(parts->model->vocabulary().tokens().size());
  add_tokens(top, *parts);
  find_bos_and_eos(*parts, json_path.parent_path() / "tokenizer_config.json");
  return std::make_unique<Tokenizer>(std::move(parts));
}

}  // namespace rhea
