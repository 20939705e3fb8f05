#include "rhea/tokenizers/pre_tokenizer.h"

#include "rhea/tokenizers/train_bpe.h"
#include "tests/unit/tokenizers/fixtures.h"

namespace rhea {
namespace {

using Pieces = std::vector<std::string>;

Pieces pieces_of(std::string_view pattern, std::string_view text) {
  const Regex regex{std::string(pattern)};
  Regex::Matcher matcher(regex);
  Pieces pieces;
  split_by_pattern(matcher, text, [&](std::string_view piece) { pieces.emplace_back(piece); });
  return pieces;
}

TEST(PreTokenizer, Gpt2AndLlama3Patterns) {
  EXPECT_EQ(pieces_of(kGpt2Pattern, "I'll  go: 12345\n\n x"), (Pieces{"I", "'ll", " ", " go", ":", " 12345", "\n\n", " x"}));
  EXPECT_EQ(pieces_of(kLlama3Pattern, "I'LL  go: 12345\n\n x"),
            (Pieces{"I", "'LL", " ", " go", ":", " ", "123", "45", "\n\n", " x"}));
  EXPECT_EQ(pieces_of(kGpt2Pattern, "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac"),
            (Pieces{"\xc3\xa9t\xc3\xa9", " \xe6\x97\xa5\xe6\x9c\xac"}));
}

TEST(PreTokenizer, WhatThePatternLeavesIsAPieceToo) {
  EXPECT_EQ(pieces_of("[0-9]+", "ab12c3"), (Pieces{"ab", "12", "c", "3"}));
  EXPECT_EQ(pieces_of("x*", "a\xc3\xa9xxb"), (Pieces{"a", "\xc3\xa9", "xx", "b"})) << "empty matches cut too";
}

TEST(PreTokenizer, OtherBytesAreTheirOwnPieces) {
  EXPECT_EQ(pieces_of(kGpt2Pattern,
                      "a\xff\xfe"
                      "b \xc3"),
            (Pieces{"a", "\xff\xfe", "b", " ", "\xc3"}));
}

TEST(PreTokenizer, AHungryPatternGivesUpWithAMessage) {
  const std::string text = std::string(198, 'a') + "bc";
  EXPECT_THAT_SAYS(test::message_of([&] { pieces_of("(a+a+)+c", text); }), "gives up on text of 200 bytes");
}

}  // namespace
}  // namespace rhea
