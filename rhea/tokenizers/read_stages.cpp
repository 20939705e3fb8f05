// The stages of a tokenizer.json other than its model: which of them are supported, and with which options.
#include "rhea/tokenizers/tokenizer_parts.h"

namespace rhea {
namespace {

constexpr std::string_view kPreTokenizers = "\"ByteLevel\", and \"Sequence\" of \"Split\" (a Regex, Isolated) and \"ByteLevel\"";

PreTokenizer read_byte_level(const JsonView& stage) {
  PreTokenizer result;
  result.add_prefix_space = stage.boolean("add_prefix_space", true);  // the library's defaults
  if (stage.boolean("use_regex", true)) {
    result.pattern.emplace(std::string(kGpt2Pattern));
  }
  return result;
}

Regex read_split(const JsonView& stage) {
  if (stage.boolean("invert", false)) {
    stage["invert"].refuse("true is not supported");
  }
  if (stage["behavior"].string() != "Isolated") {
    stage["behavior"].refuse("\"{}\" is not supported; supported is \"Isolated\"", stage["behavior"].string());
  }
  if (!stage["pattern"].has("Regex")) {
    stage["pattern"].refuse("expected {{\"Regex\": ...}}; other patterns are not supported");
  }
  const JsonView regex = stage["pattern"]["Regex"];
  try {
    return Regex(std::string(regex.string()));
  } catch (const Error& error) {
    regex.refuse("{}", error.what());
  }
}

}  // namespace

Normalizer read_normalizer(const JsonView& top) {
  if (!top.has("normalizer")) {
    return Normalizer::kNone;
  }
  const JsonView stage = top["normalizer"];
  if (stage["type"].string() != "NFC") {
    stage.refuse("\"{}\" is not supported; supported are null and \"NFC\"", stage["type"].string());
  }
  return Normalizer::kNfc;
}

PreTokenizer read_pre_tokenizer(const JsonView& top) {
  if (!top.has("pre_tokenizer")) {
    top.refuse("pre_tokenizer null is not supported; supported are {}", kPreTokenizers);
  }
  const JsonView stage = top["pre_tokenizer"];
  const std::string_view type = stage["type"].string();
  if (type == "ByteLevel") {
    return read_byte_level(stage);
  }
  if (type != "Sequence") {
    stage.refuse("\"{}\" is not supported; supported are {}", type, kPreTokenizers);
  }
  const std::vector<JsonView> stages = stage["pretokenizers"].items();
  const auto is = [&](std::size_t i, std::string_view name) { return i < stages.size() && stages[i]["type"].string() == name; };
  if (stages.size() != 2 || !is(0, "Split") || !is(1, "ByteLevel")) {
    std::string types;
    for (const JsonView& part : stages) {
      types += fmt::format("{}\"{}\"", types.empty() ? "" : ", ", part["type"].string());
    }
    stage.refuse("\"Sequence\" of {} is not supported; supported are {}", types.empty() ? "nothing" : types, kPreTokenizers);
  }
  PreTokenizer result = read_byte_level(stages[1]);
  if (result.pattern || result.add_prefix_space) {
    stages[1].refuse("behind \"Split\", \"ByteLevel\" is supported with use_regex and add_prefix_space false only");
  }
  result.pattern.emplace(read_split(stages[0]));
  return result;
}

void check_decoder(const JsonView& top) {
  if (top.has("decoder") && top["decoder"]["type"].string() != "ByteLevel") {
    top["decoder"].refuse("\"{}\" is not supported; supported is \"ByteLevel\"", top["decoder"]["type"].string());
  }
}

}  // namespace rhea
