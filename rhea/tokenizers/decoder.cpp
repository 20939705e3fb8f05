#include "rhea/tokenizers/decoder.h"

#include "rhea/tokenizers/byte_level.h"
#include "rhea/tokenizers/pattern.h"

#include <fmt/ranges.h>

#include <charconv>
#include <memory>
#include <optional>
#include <utility>

namespace rhea {
namespace {

using Step = Decoder::Step;
using Tokens = Decoder::Tokens;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// English as BERT and its relatives cut it.
void clean_up(std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kRules) {
    replace_all(text, from, to);
  }
}

// A token with a character that spells no byte (a literal of a foreign vocabulary) is written as it stands.
void byte_level(Tokens& tokens) {
  for (std::string& token : tokens) {
    token = unspell_bytes(token).value_or(token);
  }
}

void fuse(Tokens& tokens) {
  tokens = {fmt::format("{}", fmt::join(tokens, ""))};
}

// Bytes that follow each other become one token.
void byte_fallback(Tokens& tokens) {
  Tokens out;
  bool after_byte = false;
  for (std::string& token : tokens) {
    const auto byte = spelled_byte(token);
    if (byte && after_byte) {
      out.back() += *byte;
    } else {
      out.push_back(byte ? std::string(1, *byte) : std::move(token));
    }
    after_byte = byte.has_value();
  }
  tokens = std::move(out);
}

Step word_piece(const JsonView& stage) {
  return [prefix = std::string(stage.has("prefix") ? stage["prefix"].string() : "##"),
          cleans = stage.boolean("cleanup", true)](Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0) {
        tokens[i] = tokens[i].starts_with(prefix) ? tokens[i].substr(prefix.size()) : " " + tokens[i];
      }
      if (cleans) {
        clean_up(tokens[i]);
      }
    }
  };
}

Step bpe(const JsonView& stage) {
  return [suffix = std::string(stage.has("suffix") ? stage["suffix"].string() : "</w>")](Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      replace_all(tokens[i], suffix, i + 1 == tokens.size() ? "" : " ");
    }
  };
}

Step metaspace(const JsonView& stage) {
  const std::string_view mark = stage.has("replacement") ? stage["replacement"].string() : "\xe2\x96\x81";
  const bool prepended =
      stage.has("prepend_scheme") ? stage["prepend_scheme"].string() != "never" : stage.boolean("add_prefix_space", true);
  return [mark = std::string(mark), prepended](Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      replace_all(tokens[i], mark, i == 0 && prepended ? "" : " ");
    }
  };
}

Step strip(const JsonView& stage) {
  return [content = std::string(stage["content"].string()), start = stage["start"].integer(0, INT32_MAX),
          stop = stage["stop"].integer(0, INT32_MAX)](Tokens& tokens) {
    for (std::string& token : tokens) {
      std::string_view left = token;
      for (std::int64_t i = 0; i < start && !content.empty() && left.starts_with(content); ++i) {
        left.remove_prefix(content.size());
      }
      for (std::int64_t i = 0; i < stop && !content.empty() && left.ends_with(content); ++i) {
        left.remove_suffix(content.size());
      }
      token = std::string(left);
    }
  };
}

Step replace(const JsonView& stage) {
  const auto pattern = std::make_shared<const Pattern>(read_pattern(stage["pattern"]));
  return [pattern, content = std::string(stage["content"].string())](Tokens& tokens) {
    for (std::string& token : tokens) {
      std::string out;
      pattern->split(token, [&](std::string_view part, bool matches) { out += matches ? std::string_view(content) : part; });
      token = std::move(out);
    }
  };
}

// Of speech models: what is repeated is said once.
Step ctc(const JsonView& stage) {
  return [pad = std::string(stage["pad_token"].string()), delimiter = std::string(stage["word_delimiter_token"].string()),
          cleans = stage.boolean("cleanup", true)](Tokens& tokens) {
    Tokens out;
    const std::string* previous = nullptr;
    for (const std::string& token : tokens) {
      const bool repeated = previous != nullptr && *previous == token;
      previous = &token;
      if (repeated) {
        continue;
      }
      std::string text = token;
      replace_all(text, pad, "");
      if (cleans) {
        clean_up(text);
        replace_all(text, delimiter, " ");
      }
      if (!text.empty()) {
        out.push_back(std::move(text));
      }
    }
    tokens = std::move(out);
  };
}

void add(const JsonView& stage, std::vector<Step>& steps) {
  const std::string_view type = stage["type"].string();
  if (type == "Sequence") {
    for (const JsonView& part : stage["decoders"].items()) {
      add(part, steps);
    }
  } else if (type == "ByteLevel") {
    steps.emplace_back(byte_level);
  } else if (type == "ByteFallback") {
    steps.emplace_back(byte_fallback);
  } else if (type == "Fuse") {
    steps.emplace_back(fuse);
  } else if (type == "WordPiece") {
    steps.push_back(word_piece(stage));
  } else if (type == "BPEDecoder") {
    steps.push_back(bpe(stage));
  } else if (type == "Metaspace") {
    steps.push_back(metaspace(stage));
  } else if (type == "Strip") {
    steps.push_back(strip(stage));
  } else if (type == "Replace") {
    steps.push_back(replace(stage));
  } else if (type == "CTC") {
    steps.push_back(ctc(stage));
  } else {
    stage.refuse("\"{}\" is not supported", type);
  }
}

}  // namespace

std::optional<char> spelled_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) {
    return std::nullopt;
  }
  unsigned value = 0;
  const auto [stopped, error] = std::from_chars(token.data() + 3, token.data() + 5, value, 16);
  return error == std::errc() && stopped == token.data() + 5 ? std::optional(static_cast<char>(value)) : std::nullopt;
}

std::string Decoder::decode(Tokens tokens) const {
  for (const Step& step : steps_) {
    step(tokens);
  }
  return fmt::format("{}", fmt::join(tokens, steps_.empty() ? " " : ""));
}

Decoder read_decoder(const JsonView& top) {
  std::vector<Step> steps;
  if (top.has("decoder")) {
    add(top["decoder"], steps);
  }
  const bool only_bytes = top.has("decoder") && top["decoder"]["type"].string() == "ByteLevel";
  return Decoder(std::move(steps), only_bytes);
}

}  // namespace rhea
