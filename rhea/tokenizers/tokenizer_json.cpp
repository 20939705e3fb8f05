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
  return parts.model.id_of(content);
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

}  // namespace

std::vector<AddedToken> read_added_tokens(const JsonView& top, const Bpe& model) {
  std::vector<AddedToken> tokens;
  if (!top.has("added_tokens")) {
    return tokens;
  }
  for (const JsonView& entry : top["added_tokens"].items()) {
    for (const char* name : {"single_word", "lstrip", "rstrip"}) {
      if (entry.boolean(name, false)) {
        entry[name].refuse("true is not supported");
      }
    }
    AddedToken token;
    token.content = entry["content"].string();
    token.id = static_cast<std::int32_t>(entry["id"].integer(0, (1 << 24) - 1));
    token.special = entry.boolean("special", false);
    token.normalized = entry.boolean("normalized", !token.special);
    if (token.content.empty()) {
      entry["content"].refuse("is empty");
    }
    const auto known = model.id_of(token.content);
    const bool taken = static_cast<std::size_t>(token.id) < model.tokens().size() && !model.tokens()[token.id].empty();
    if (known ? *known != token.id : taken) {
      entry["id"].refuse(
          "id {} of \"{}\" contradicts model.vocab, where {}", token.id, token.content,
          known ? fmt::format("that token is {}", *known) : fmt::format("that id is \"{}\"", model.tokens()[token.id]));
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

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
  check_decoder(top);
  // post_processor only adds BOS and EOS (and cuts offsets, which we do not give): whoever makes documents does that.
  auto parts = std::make_unique<TokenizerParts>(
      TokenizerParts{{}, read_normalizer(top), {}, read_pre_tokenizer(top), Bpe(top["model"]), {}, {}, 0, {}, {}, hash});
  parts->vocab_size = static_cast<std::int64_t>(parts->model.tokens().size());
  parts->added = read_added_tokens(top, parts->model);
  for (const AddedToken& token : parts->added) {
    std::string storage;
    if (token.normalized) {
      parts->normalized_tokens.add(std::string(normalize(parts->normalizer, token.content, storage)), token.id);
    } else {
      parts->raw_tokens.add(token.content, token.id);
    }
    parts->added_by_id.emplace(token.id, parts->added_by_id.size());
    parts->vocab_size = std::max(parts->vocab_size, std::int64_t{token.id} + 1);
  }
  find_bos_and_eos(*parts, json_path.parent_path() / "tokenizer_config.json");
  return std::make_unique<Tokenizer>(std::move(parts));
}

}  // namespace rhea
