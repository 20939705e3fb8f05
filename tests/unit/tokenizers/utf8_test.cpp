#include "rhea/tokenizers/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rhea {
namespace {

std::vector<std::pair<std::string, bool>> runs_of(std::string_view bytes) {
  std::vector<std::pair<std::string, bool>> runs;
  for_each_utf8_run(bytes, [&](std::string_view run, bool valid) { runs.emplace_back(run, valid); });
  return runs;
}

using Runs = std::vector<std::pair<std::string, bool>>;

TEST(Utf8, RunsCoverEveryByte) {
  EXPECT_EQ(runs_of(""), Runs{});
  EXPECT_EQ(runs_of("a\xc3\xa9"), (Runs{{"a\xc3\xa9", true}}));
  EXPECT_EQ(runs_of("\xff\xfe"
                    "a\xc3"),
            (Runs{{"\xff\xfe", false}, {"a", true}, {"\xc3", false}}));
}

TEST(Utf8, KnowsTheUnicodeStandardsTable) {
  const auto valid = [](std::string_view bytes) { return valid_utf8_prefix(bytes) == bytes.size(); };
  EXPECT_TRUE(valid("\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
  EXPECT_FALSE(valid("\xc1\xbf")) << "overlong";
  EXPECT_FALSE(valid("\xe0\x9f\xbf")) << "overlong";
  EXPECT_FALSE(valid("\xed\xa0\x80")) << "surrogate";
  EXPECT_FALSE(valid("\xf0\x8f\xbf\xbf")) << "overlong";
  EXPECT_FALSE(valid("\xf4\x90\x80\x80")) << "beyond U+10FFFF";
  EXPECT_FALSE(valid("\xe2\x82")) << "cut";
  const std::string longer(100, 'a');
  EXPECT_EQ(valid_utf8_prefix(longer + "\xff" + longer), 100U);
}

}  // namespace
}  // namespace rhea
