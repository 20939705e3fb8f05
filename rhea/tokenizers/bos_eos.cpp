#include "rhea/tokenizers/bos_eos.h"

#include "rhea/core/files.h"

#include <span>

namespace rhea {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 26;

constexpr std::string_view kUsualBos[] = {"<|begin_of_text|>", "<s>", "<bos>", "<|endoftext|>"};
constexpr std::string_view kUsualEos[] = {"<|end_of_text|>", "</s>", "<eos>", "<|endoftext|>"};

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

}  // namespace

void find_bos_and_eos(TokenizerParts& parts, const std::filesystem::path& config_path) {
  if (!parts.bos_id) {
    parts.bos_id = usual_token(parts, kUsualBos);
  }
  if (!parts.eos_id) {
    parts.eos_id = usual_token(parts, kUsualEos);
  }
  if (!std::filesystem::exists(config_path)) {
    return;
  }
  const std::string file = config_path.string();
  std::string text = read_file(config_path, kMaxFileBytes);
  simdjson::dom::parser parser;
  const JsonView config(file, "", parse_json(parser, file, text));
  for (const auto& [name, id] : {std::pair("bos_token", &parts.bos_id), std::pair("eos_token", &parts.eos_id)}) {
    if (const auto content = configured_token(config, name)) {
      *id = find_token(parts, *content);
      if (!*id) {
        config[name].refuse("\"{}\" is no token of the tokenizer beside it", *content);
      }
    }
  }
}

}  // namespace rhea
