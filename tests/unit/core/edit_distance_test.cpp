#include "rhea/core/edit_distance.h"

#include <gtest/gtest.h>

namespace rhea {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("steps", "setps"), 1U);  // neighbours swapped
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);       // optimal string alignment, where the unrestricted distance is 2
  EXPECT_EQ(edit_distance("lr", "rl"), edit_distance("rl", "lr"));
}

TEST(NearestNames, NearestFirstAndNothingFar) {
  const std::vector<std::string> names = {"local_batch_size", "global_batch_size", "seq_len", "steps"};
  EXPECT_EQ(nearest_names("locl_batch_size", names), (std::vector<std::string>{"local_batch_size", "global_batch_size"}));
  EXPECT_EQ(nearest_names("locl_batch_size", names, 1), (std::vector<std::string>{"local_batch_size"}));
  EXPECT_TRUE(nearest_names("temperature", names).empty());
  EXPECT_TRUE(nearest_names(std::string(1 << 20, 's'), names).empty());
}

TEST(DidYouMean, SaysWhatIsNearOrThere) {
  const std::vector<std::string> names = {"seq_len", "steps"};
  EXPECT_EQ(did_you_mean("step", names), "; did you mean \"steps\"?");
  EXPECT_EQ(did_you_mean("elephants", names), "; there are: seq_len, steps");
  EXPECT_EQ(did_you_mean("elephants", std::vector<std::string>(17, "a")), "");
  EXPECT_EQ(did_you_mean("elephants", std::vector<std::string>()), "");
}

}  // namespace
}  // namespace rhea
