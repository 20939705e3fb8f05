#include "rhea/tokenizers/normalizer.h"

#include "rhea/tokenizers/byte_level.h"
#include "rhea/tokenizers/character_map.h"
#include "rhea/tokenizers/pattern.h"
#include "rhea/tokenizers/unicode.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace rhea {
namespace {

using Step = Normalizer::Step;

// A step that gives each character on, as it is or rewritten.
template <class Rewrite>
Step per_character(const Rewrite& rewrite) {
  return [rewrite](std::string& text) {
    std::string out;
    out.reserve(text.size());
    for_each_character(text, [&](const Character& character) { rewrite(character, out); });
    text = std::move(out);
  };
}

Step normal_form(NormalForm form) {
  return [form](std::string& text) {
    std::string out;
    append_normal_form(form, text, out);
    text = std::move(out);
  };
}

Step lower_case() {
  return per_character([](const Character& character, std::string& out) {
    if (character.code < 0) {
      out += character.bytes;
    } else {
      append_lower_case(character.code, out);
    }
  });
}

Step without(bool (*dropped)(std::int32_t code)) {
  return per_character([dropped](const Character& character, std::string& out) {
    out += dropped(character.code) ? std::string_view() : character.bytes;
  });
}

Step strip(bool left, bool right) {
  return [left, right](std::string& text) {
    std::size_t begin = text.size(), end = 0, at = 0;
    for_each_character(text, [&](const Character& character) {
      if (!is_white_space(character.code)) {
        begin = std::min(begin, at);
        end = at + character.bytes.size();
      }
      at += character.bytes.size();
    });
    end = right ? end : text.size();
    begin = left ? std::min(begin, end) : 0;
    text = text.substr(begin, std::max(begin, end) - begin);
  };
}

Step prepend(std::string_view prefix) {
  return [prefix = std::string(prefix)](std::string& text) {
    if (!text.empty()) {
      text.insert(0, prefix);
    }
  };
}

Step replace(const JsonView& stage) {
  const auto pattern = std::make_shared<const Pattern>(read_pattern(stage["pattern"]));
  return [pattern, content = std::string(stage["content"].string())](std::string& text) {
    std::string out;
    pattern->split(text, [&](std::string_view part, bool matches) { out += matches ? std::string_view(content) : part; });
    text = std::move(out);
  };
}

Step spell_as_bytes() {
  return [](std::string& text) { text = spell_bytes(text); };
}

// BERT's clean-up: no control characters, every white space a space.
Step clean() {
  return per_character([](const Character& character, std::string& out) {
    if (character.code == 0 || is_control(character.code)) {
      return;
    }
    out += is_white_space(character.code) ? std::string_view(" ") : character.bytes;
  });
}

Step space_ideographs() {
  return per_character([](const Character& character, std::string& out) {
    const bool cjk = is_cjk_ideograph(character.code);
    out.append(cjk ? " " : "").append(character.bytes).append(cjk ? " " : "");
  });
}

// What SentencePiece's "nmt" rules drop and turn into spaces.
Step nmt() {
  return per_character([](const Character& character, std::string& out) {
    const std::int32_t c = character.code;
    const bool dropped = (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
    const bool space = c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 || (c >= 0x200B && c <= 0x200F) || c == 0x2028 ||
                       c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
    if (!dropped) {
      out += space ? std::string_view(" ") : character.bytes;
    }
  });
}

Step precompiled(const JsonView& map) {
  const auto rules = std::make_shared<const CharacterMap>(read_character_map(map));
  return [rules](std::string& text) { text = rules->apply(text); };
}

std::optional<NormalForm> normal_form_named(std::string_view type) {
  if (type == "NFC") {
    return NormalForm::kNfc;
  }
  if (type == "NFD") {
    return NormalForm::kNfd;
  }
  if (type == "NFKC") {
    return NormalForm::kNfkc;
  }
  if (type == "NFKD") {
    return NormalForm::kNfkd;
  }
  return std::nullopt;
}

struct Steps {
  std::vector<Step> list;
  bool keep_ascii = true;  // all of them
};

void add_bert(const JsonView& stage, std::vector<Step>& list) {
  const bool lower = stage.boolean("lowercase", true);
  if (stage.boolean("clean_text", true)) {
    list.push_back(clean());
  }
  if (stage.boolean("handle_chinese_chars", true)) {
    list.push_back(space_ideographs());
  }
  if (stage.boolean("strip_accents", lower)) {
    list.push_back(normal_form(NormalForm::kNfd));
    list.push_back(without(&is_nonspacing_mark));
  }
  if (lower) {
    list.push_back(lower_case());
  }
}

void add(const JsonView& stage, Steps& steps) {
  const std::string_view type = stage["type"].string();
  if (type == "Sequence") {
    for (const JsonView& part : stage["normalizers"].items()) {
      add(part, steps);
    }
    return;
  }
  if (const auto form = normal_form_named(type)) {
    steps.list.push_back(normal_form(*form));
    return;
  }
  if (type == "StripAccents") {
    steps.list.push_back(without(&is_mark));
    return;
  }
  steps.keep_ascii = false;
  if (type == "Lowercase") {
    steps.list.push_back(lower_case());
  } else if (type == "Strip") {
    steps.list.push_back(strip(stage.boolean("strip_left", true), stage.boolean("strip_right", true)));
  } else if (type == "Prepend") {
    steps.list.push_back(prepend(stage["prepend"].string()));
  } else if (type == "Replace") {
    steps.list.push_back(replace(stage));
  } else if (type == "ByteLevel") {
    steps.list.push_back(spell_as_bytes());
  } else if (type == "BertNormalizer") {
    add_bert(stage, steps.list);
  } else if (type == "Nmt") {
    steps.list.push_back(nmt());
  } else if (type == "Precompiled") {
    steps.list.push_back(precompiled(stage["precompiled_charsmap"]));
  } else {
    stage.refuse("\"{}\" is not supported", type);
  }
}

}  // namespace

std::string_view Normalizer::apply(std::string_view text, std::string& storage) const {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (steps_.empty() || (keeps_ascii_ && std::all_of(text.begin(), text.end(), is_ascii))) {
    return text;
  }
  storage.assign(text);
  for (const Step& step : steps_) {
    step(storage);
  }
  return storage;
}

Normalizer read_normalizer(const JsonView& top) {
  Steps steps;
  if (top.has("normalizer")) {
    add(top["normalizer"], steps);
  }
  return {std::move(steps.list), steps.keep_ascii};
}

}  // namespace rhea
