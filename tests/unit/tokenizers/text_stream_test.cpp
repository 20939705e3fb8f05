#include "rhea/tokenizers/text_stream.h"

#include <gtest/gtest.h>

namespace rhea {
namespace {

TEST(TextStream, HoldsACharacterBackUntilItIsWhole) {
  TextStream stream;
  EXPECT_EQ(stream.push("caf\xC3"), "caf");
  EXPECT_EQ(stream.push("\xA9 \xF0\x9F"), "é ");
  EXPECT_EQ(stream.push("\x98"), "");
  EXPECT_EQ(stream.push("\x80!"), "😀!");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, ReplacesWhatIsNoCharacter) {
  TextStream stream;
  EXPECT_EQ(stream.push("a\xFF"
                        "b\x80"),
            "a\uFFFDb\uFFFD");
  EXPECT_EQ(stream.push("\xE2\x82"), "");
  EXPECT_EQ(stream.push("x"), "\uFFFD\uFFFDx");
  EXPECT_EQ(stream.push("\xE2\x82"), "");
  EXPECT_EQ(stream.finish(), "\uFFFD\uFFFD");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, RefusesSurrogatesAndOverlongForms) {
  TextStream stream;
  EXPECT_EQ(stream.push("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(stream.push("\xC0\xAF"), "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace rhea
