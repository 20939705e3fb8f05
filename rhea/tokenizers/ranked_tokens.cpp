#include "rhea/tokenizers/ranked_tokens.h"

#include "rhea/tokenizers/base64.h"
#include "rhea/tokenizers/bpe.h"
#include "rhea/tokenizers/byte_level.h"
#include "rhea/tokenizers/unicode.h"

#include <charconv>
#include <unordered_map>

namespace rhea {
namespace {

constexpr std::string_view kR50kPattern = R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)";
constexpr std::string_view kCl100kPattern =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr std::string_view kO200kPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

using SpecialTokens = std::vector<std::pair<std::string, std::int32_t>>;

constexpr std::int32_t kMaxRank = 1 << 20;
constexpr std::size_t kMaxBytes = 1 << 12;  // of a token
constexpr std::int64_t kMaxGap = 1000;      // between ranks: where special tokens are (p50k_base has one)

// What a file with this many tokens leaves unsaid.
struct Encoding {
  std::size_t tokens;
  std::string_view pattern;
  bool composes = false;  // NFC first
  SpecialTokens special;
};

struct Numbers {
  int first, count;
  std::int32_t first_id;
};

// "prefix0|>", "prefix1|>", ...
void add_numbered(SpecialTokens& tokens, std::string_view prefix, const Numbers& numbers) {
  for (int i = 0; i < numbers.count; ++i) {
    tokens.emplace_back(fmt::format("{}{}|>", prefix, numbers.first + i), numbers.first_id + i);
  }
}

SpecialTokens llama3_special_tokens() {
  SpecialTokens tokens = {{"<|begin_of_text|>", 128000},   {"<|end_of_text|>", 128001},   {"<|finetune_right_pad_id|>", 128004},
                          {"<|start_header_id|>", 128006}, {"<|end_header_id|>", 128007}, {"<|eom_id|>", 128008},
                          {"<|eot_id|>", 128009},          {"<|python_tag|>", 128010}};
  add_numbered(tokens, "<|reserved_special_token_", {.first = 0, .count = 2, .first_id = 128002});
  add_numbered(tokens, "<|reserved_special_token_", {.first = 2, .count = 1, .first_id = 128005});
  add_numbered(tokens, "<|reserved_special_token_", {.first = 3, .count = 245, .first_id = 128011});
  return tokens;
}

SpecialTokens qwen_special_tokens() {
  SpecialTokens tokens = {{"<|endoftext|>", 151643}, {"<|im_start|>", 151644}, {"<|im_end|>", 151645}};
  add_numbered(tokens, "<|extra_", {.first = 0, .count = 205, .first_id = 151646});
  return tokens;
}

std::vector<Encoding> known_encodings() {
  const SpecialTokens gpt2 = {{"<|endoftext|>", 50256}};
  return {{50256, kR50kPattern, false, gpt2},
          {50280, kR50kPattern, false, gpt2},
          {100256,
           kCl100kPattern,
           false,
           {{"<|endoftext|>", 100257},
            {"<|fim_prefix|>", 100258},
            {"<|fim_middle|>", 100259},
            {"<|fim_suffix|>", 100260},
            {"<|endofprompt|>", 100276}}},
          {199998, kO200kPattern, false, {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}}},
          {128000, kLlama3Pattern, false, llama3_special_tokens()},
          {151643, kQwenPattern, true, qwen_special_tokens()}};
}

// Calls line(std::string_view) for each line that is not empty.
template <class Line>
void for_each_line(std::string_view text, const Line& line) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) {
      line(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

struct RankedToken {
  std::string bytes;
  std::int32_t rank = 0;
};

std::optional<RankedToken> read_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || space == 0) {
    return std::nullopt;
  }
  RankedToken token;
  const std::string_view number = line.substr(space + 1, line.find_last_not_of('\r') - space);
  const auto [stopped, error] = std::from_chars(number.data(), number.data() + number.size(), token.rank);
  const auto bytes = decode_base64(line.substr(0, space));
  if (error != std::errc() || stopped != number.data() + number.size() || token.rank < 0 || !bytes || bytes->empty()) {
    return std::nullopt;
  }
  token.bytes = *bytes;
  return token;
}

// All pairs of tokens that are a token together.
PairTable make_merges(const std::vector<std::string>& tokens) {
  std::unordered_map<std::string_view, std::int32_t> ids;
  ids.reserve(tokens.size());
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (!tokens[id].empty()) {
      ids.emplace(tokens[id], static_cast<std::int32_t>(id));
    }
  }
  struct Pair {
    std::int32_t left, right, whole;
  };
  std::vector<Pair> pairs;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    const std::string_view token = tokens[id];
    for (std::size_t cut = 1; cut < token.size(); ++cut) {
      const auto left = ids.find(token.substr(0, cut)), right = ids.find(token.substr(cut));
      if (left != ids.end() && right != ids.end()) {
        pairs.push_back({left->second, right->second, static_cast<std::int32_t>(id)});
      }
    }
  }
  PairTable merges(pairs.size());
  for (const Pair& pair : pairs) {
    merges.insert(pair.left, pair.right, {pair.whole, pair.whole});
  }
  return merges;
}

// tokens: by id, empty where a special token has it.
std::unique_ptr<TokenizerParts> make_parts(const std::string& file, const std::vector<std::string>& tokens,
                                           std::string_view pattern, bool composes, const SpecialTokens& special) {
  std::vector<std::string> spelled;
  spelled.reserve(tokens.size());
  for (const std::string& token : tokens) {
    spelled.push_back(spell_bytes(token));
  }
  auto parts = std::make_unique<TokenizerParts>();
  if (composes) {
    const auto compose = [](std::string& text) {
      std::string composed;
      append_normal_form(NormalForm::kNfc, text, composed);
      text = std::move(composed);
    };
    parts->normalizer = Normalizer({compose}, /*keeps_ascii=*/true);
  }
  parts->pre_tokenizer.stages.push_back(pattern_splitter(pattern));
  parts->pre_tokenizer.alphabet = Alphabet::kBytes;
  parts->model = std::make_unique<Bpe>(file, Vocabulary(std::move(spelled)), make_merges(tokens));
  parts->decoder = Decoder({}, /*only_unspells_bytes=*/true);
  for (const auto& [content, id] : special) {
    AddedToken token;
    token.content = token.written = content;
    token.id = id;
    token.special = true;
    parts->raw_tokens.add(content, token);
    parts->added.push_back(std::move(token));
  }
  index_added_tokens(*parts);
  return parts;
}

}  // namespace

bool is_rank_file(std::string_view contents) {
  return read_line(contents.substr(0, contents.find('\n'))).has_value();
}

std::unique_ptr<TokenizerParts> read_rank_file(const std::string& file, std::string_view contents) {
  std::vector<std::string> tokens;
  std::size_t line_number = 0;
  for_each_line(contents, [&](std::string_view line) {
    ++line_number;
    auto token = read_line(line);
    const auto next = static_cast<std::int64_t>(tokens.size());
    if (!token || token->rank < next || token->rank > next + kMaxGap || token->rank > kMaxRank ||
        token->bytes.size() > kMaxBytes) {
      fail("{}: line {}: expected a token in base64 and its rank, {} or a little more, got \"{}\"", file, line_number, next,
           line.substr(0, 60));
    }
    tokens.resize(static_cast<std::size_t>(token->rank));
    tokens.push_back(std::move(token->bytes));
  });
  for (const Encoding& encoding : known_encodings()) {
    if (encoding.tokens == line_number) {
      return make_parts(file, tokens, encoding.pattern, encoding.composes, encoding.special);
    }
  }
  fail(
      "{}: its {} tokens are those of no known encoding (r50k_base, p50k_base, cl100k_base, o200k_base, Llama 3, Qwen), and a "
      "file of ranks does not say how text is cut; use the model's tokenizer.json",
      file, line_number);
}

bool is_tekken(const JsonView& top) {
  return top.has("config") && top.has("vocab") && !top.has("model");
}

std::unique_ptr<TokenizerParts> read_tekken(const JsonView& top) {
  // Of the first files, which do not list theirs.
  constexpr std::string_view kFirstSpecial[] = {"<unk>",
                                                "<s>",
                                                "</s>",
                                                "[INST]",
                                                "[/INST]",
                                                "[AVAILABLE_TOOLS]",
                                                "[/AVAILABLE_TOOLS]",
                                                "[TOOL_RESULTS]",
                                                "[/TOOL_RESULTS]",
                                                "[TOOL_CALLS]",
                                                "[IMG]",
                                                "<pad>",
                                                "[IMG_BREAK]",
                                                "[IMG_END]",
                                                "[PREFIX]",
                                                "[MIDDLE]",
                                                "[SUFFIX]",
                                                "[SYSTEM_PROMPT]",
                                                "[/SYSTEM_PROMPT]",
                                                "[TOOL_CONTENT]"};
  constexpr std::int64_t kMaxTokens = 1 << 20;
  const JsonView config = top["config"];
  const std::int64_t special_count = config["default_num_special_tokens"].integer(0, kMaxTokens);
  const std::int64_t size = config["default_vocab_size"].integer(special_count + 256, kMaxTokens);
  SpecialTokens special;
  for (std::int64_t id = 0; id < special_count; ++id) {
    const bool first = !top.has("special_tokens") && id < std::ssize(kFirstSpecial);
    special.emplace_back(first ? std::string(kFirstSpecial[id]) : fmt::format("<SPECIAL_{}>", id), static_cast<std::int32_t>(id));
  }
  for (const JsonView& token : top.has("special_tokens") ? top["special_tokens"].items() : std::vector<JsonView>()) {
    special[static_cast<std::size_t>(token["rank"].integer(0, special_count - 1))].first = token["token_str"].string();
  }
  std::vector<std::string> tokens(static_cast<std::size_t>(size));
  for (const JsonView& entry : top["vocab"].items()) {
    const std::int64_t id = entry["rank"].integer(0, kMaxTokens) + special_count;
    const auto bytes = decode_base64(entry["token_bytes"].string());
    if (!bytes || bytes->empty() || bytes->size() > kMaxBytes) {
      entry["token_bytes"].refuse("\"{}\" is no base64 of 1 to {} bytes", entry["token_bytes"].string(), kMaxBytes);
    }
    if (id < size) {  // the file holds more than the model uses
      tokens[static_cast<std::size_t>(id)] = *bytes;
    }
  }
  for (std::int64_t id = special_count; id < size; ++id) {
    if (tokens[static_cast<std::size_t>(id)].empty()) {
      top["vocab"].refuse("no token has the rank {}", id - special_count);
    }
  }
  return make_parts(top.file(), tokens, config["pattern"].string(), /*composes=*/false, special);
}

}  // namespace rhea
