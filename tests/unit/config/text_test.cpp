// What is written reads back: TOML, help, Markdown.
#include "rhea/config/generate_config.h"
#include "rhea/config/recipes.h"
#include "rhea/config/text_value.h"
#include "tests/unit/config/parse_helpers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace rhea {
namespace {

TEST(ToToml, TheDefaultsReadBack) {
  const std::string text = config_to_toml(PretrainConfig());
  EXPECT_EQ(config_to_toml(testing::parsed("run.toml", text)), text);
}

TEST(ToToml, EveryTextReadsBack) {
  for (const std::string text : {"", "plain", "\"quotes\" 'and' \\slashes\\", "line\nline\r\n\ttab", "\x01\x1f\x7f",
                                 "naïve 日本語 😀", "[x] = # no comment", "true", "5", "\"\"\"", "'''", "trailing\\"}) {
    PretrainConfig config;
    config.job.description = text;
    EXPECT_EQ(testing::parsed("run.toml", config_to_toml(config)).job.description, text) << text;
  }
}

TEST(ToToml, EveryDoubleReadsBack) {
  std::mt19937_64 bits(1);
  std::vector<double> numbers = {
      0.0, 1.0, 0.1, 1.0 / 3, 8e-4, 1e23, 5e-324, std::numeric_limits<double>::max(), 1e16, 123456789012345680.0};
  while (numbers.size() < 80) {
    const auto number = std::abs(std::bit_cast<double>(bits()));
    if (std::isfinite(number)) {
      numbers.push_back(number);
    }
  }
  for (const double number : numbers) {
    PretrainConfig config;
    config.training.max_flops = number;
    EXPECT_EQ(testing::parsed("run.toml", config_to_toml(config)).training.max_flops, number);
  }
}

TEST(ToToml, ListsAndExtremesReadBack) {
  PretrainConfig config;
  config.checkpoint.exclude_from_loading = {"data", "optimizer"};
  config.training.max_tokens = std::numeric_limits<std::int64_t>::max();
  config.checkpoint.enable = true;
  const auto back = testing::parsed("run.toml", config_to_toml(config));
  EXPECT_EQ(back.checkpoint.exclude_from_loading, config.checkpoint.exclude_from_loading);
  EXPECT_EQ(back.training.max_tokens, config.training.max_tokens);
  EXPECT_TRUE(back.checkpoint.enable);
}

TEST(PlainText, IsUtf8WithoutZeroBytes) {
  for (const char* text : {"", "a", "é", "€", "😀", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_plain_text(text)) << text;
  }
  for (const char* text : {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80", "\xe2\x82", "a\xffz"}) {
    EXPECT_FALSE(is_plain_text(text));
  }
  EXPECT_FALSE(is_plain_text(std::string_view("a\0b", 3)));
}

// Every default must be a value that its own key accepts, else a saved config.toml could not be read back.
template <class Config>
void expect_sound_declarations() {
  Config config;
  KeyTable keys = key_table_of(config);
  for (const Key& key : keys.keys()) {
    EXPECT_FALSE(key.help.empty()) << key.full_name();
    EXPECT_NE(key.help.back(), '.') << key.full_name();
    EXPECT_EQ(key.help.find('|'), std::string::npos) << key.full_name() << ": would break the Markdown table";
    const Value value = std::visit([](const auto* field) { return Value(*field); }, key.field);
    EXPECT_NO_THROW(keys.set(key.section, key.name, value, "default")) << key.full_name();
  }
}

TEST(Declarations, AreSound) {
  expect_sound_declarations<PretrainConfig>();
  expect_sound_declarations<GenerateConfig>();
}

struct SmallConfig {
  std::int64_t width = 8;
  double rate = 0.5;
  bool deep = false;
  std::string kind = "round";
  std::vector<std::string> tags;
  void declare(KeyTable& keys) {
    keys.section("mine", "What this part does");
    keys.add("width", &width, "columns of the output; more of them show finer detail, and every one of them takes its memory",
             between(1, 64));
    keys.add("rate", &rate, "how fast", greater_than(0));
    keys.section("other", "The rest");
    keys.add("deep", &deep, "more of it");
    keys.add("kind", &kind, "its shape", one_of({"round", "square"}));
    keys.add("tags", &tags, "notes");
  }
};

TEST(Help, IsExactlyThis) {
  SmallConfig config;
  EXPECT_EQ(help_text(key_table_of(config), {"my_recipe", "what it does"}),
            R"(my_recipe: what it does

usage: rhea run my_recipe [--nproc N] [--config FILE.toml|FILE.yaml] [section.key=value ...]

Values come from the defaults, then the file, then the command line. There they may be written section.key=value,
--section.key=value or --section.key value; a boolean alone is true; lists are a,b. The last one counts.

[mine] What this part does
  width  columns of the output; more of them show finer detail, and every one of them takes its memory (an integer of at
         least 1 and at most 64; default 8)
  rate   how fast (a number above 0; default 0.5)

[other] The rest
  deep   more of it (true or false; default false)
  kind   its shape (one of round, square; default "round")
  tags   notes (a list of text; default [])
)");
}

TEST(Help, HasEveryKeyOnLinesOf120Columns) {
  PretrainConfig config;
  const KeyTable keys = key_table_of(config);
  const std::string help = help_text(keys, {"pretrain", "train"});
  for (const Key& key : keys.keys()) {
    EXPECT_NE(help.find("\n  " + key.name + " "), std::string::npos) << key.full_name();
  }
  for (std::size_t begin = 0; begin < help.size();) {
    const std::size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 120U) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Markdown, IsExactlyThis) {
  SmallConfig config;
  EXPECT_EQ(help_markdown(key_table_of(config), {"my_recipe", "what it does"}), R"(## my_recipe

what it does

### [mine]

What this part does

| key | default | accepts | meaning |
|---|---|---|---|
| `width` | `8` | an integer of at least 1 and at most 64 | columns of the output; more of them show finer detail, and every one of them takes its memory |
| `rate` | `0.5` | a number above 0 | how fast |

### [other]

The rest

| key | default | accepts | meaning |
|---|---|---|---|
| `deep` | `false` | true or false | more of it |
| `kind` | `"round"` | one of round, square | its shape |
| `tags` | `[]` | a list of text | notes |
)");
}

TEST(Documentation, HasEveryRecipeAndKey) {
  const std::string page = config_documentation();
  for (const RecipeInfo& recipe : builtin_recipes()) {
    EXPECT_NE(page.find("## " + recipe.name + "\n\n" + recipe.summary), std::string::npos);
  }
  EXPECT_NE(page.find("| `local_batch_size` | `8` |"), std::string::npos);
  EXPECT_NE(page.find("| `max_new_tokens` | `200` |"), std::string::npos);
}

}  // namespace
}  // namespace rhea
