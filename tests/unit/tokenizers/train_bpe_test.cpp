#include "rhea/tokenizers/train_bpe.h"

#include "rhea/tokenizers/byte_level.h"
#include "tests/unit/tokenizers/fixtures.h"

#include <map>

namespace rhea {
namespace {

using test::Json;
using test::trained;

std::vector<std::string> random_texts(std::uint64_t seed) {
  test::Random random(seed);
  std::vector<std::string> list(40);
  for (std::string& text : list) {
    for (std::uint64_t words = random.below(60); words > 0; --words) {
      for (std::uint64_t length = 1 + random.below(7); length > 0; --length) {
        text += static_cast<char>('a' + random.below(4));
      }
      text += ' ';
    }
  }
  return list;
}

// BPE training as the paper words it, every count from scratch; words are cut at spaces as " word".
Json slow_merges(const std::vector<std::string>& list, std::int64_t merges) {
  std::map<std::vector<std::string>, std::int64_t> words;
  std::map<std::string, int> ids;  // in the order of the spelling, as the alphabet's ids are
  std::map<std::uint32_t, std::string> alphabet;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    alphabet[spelling_of(static_cast<unsigned char>(byte))] = spell_bytes({&c, 1});
  }
  for (const auto& [code, spelled] : alphabet) {
    ids.emplace(spelled, static_cast<int>(ids.size()));
  }
  for (const std::string& text : list) {
    std::vector<std::string> word;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const bool ends = i == text.size() || text[i] == ' ';
      if (ends && !word.empty()) {
        ++words[word];
        word.clear();
      }
      if (i < text.size()) {
        word.push_back(spell_bytes(text.substr(i, 1)));
      }
    }
  }
  Json result = Json::array();
  for (std::int64_t n = 0; n < merges; ++n) {
    std::map<std::pair<int, int>, std::int64_t> counts;
    std::map<std::pair<int, int>, std::pair<std::string, std::string>> spelled;
    for (const auto& [word, count] : words) {
      for (std::size_t i = 1; i < word.size(); ++i) {
        const std::pair pair(ids.at(word[i - 1]), ids.at(word[i]));
        counts[pair] += count;
        spelled[pair] = {word[i - 1], word[i]};
      }
    }
    std::pair<int, int> best;
    std::int64_t most = 0;
    for (const auto& [pair, count] : counts) {  // ascending: the first of equals stays
      if (count > most) {
        most = count;
        best = pair;
      }
    }
    if (most == 0) {
      break;
    }
    const auto [left, right] = spelled[best];
    ids.emplace(left + right, static_cast<int>(ids.size()));
    result.push_back({left, right});
    std::map<std::vector<std::string>, std::int64_t> merged;
    for (const auto& [word, count] : words) {
      std::vector<std::string> next;
      for (std::size_t i = 0; i < word.size(); ++i) {
        if (i + 1 < word.size() && word[i] == left && word[i + 1] == right) {
          next.push_back(left + right);
          ++i;
        } else {
          next.push_back(word[i]);
        }
      }
      merged[next] += count;
    }
    words = std::move(merged);
  }
  return result;
}

TEST(TrainBpe, LearnsWhatCountingFromScratchLearns) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto list = random_texts(seed);
    BpeTrainOptions options;
    options.vocab_size = 256 + 60;
    options.special_tokens.clear();
    options.pattern = " ?[a-d]+| ";
    const Json file = trained(list, options);
    const auto count = static_cast<std::int64_t>(file["model"]["merges"].size());
    ASSERT_GE(count, 60);
    ASSERT_EQ(file["model"]["merges"], slow_merges(list, count)) << "seed " << seed;
  }
}

TEST(TrainBpe, ThreadsDoNotShow) {
  std::vector<std::string> list;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (std::string& text : random_texts(seed)) {
      list.push_back(std::move(text));
    }
  }
  BpeTrainOptions options;
  options.vocab_size = 400;
  options.threads = 1;
  const std::string one = train_bpe(test::texts(list), options);
  for (const int threads : {2, 5}) {
    options.threads = threads;
    EXPECT_EQ(train_bpe(test::texts(list), options), one) << threads;
  }
}

TEST(TrainBpe, TheFileLoadsAndGivesTextBack) {
  const test::Folder folder;
  std::vector<std::string> list = {"The low lower lowest, 123 newer; na\xc3\xafve \xff\xfe bytes"};
  list.push_back(list[0]);
  const auto tokenizer = folder.load(train_bpe(test::texts(list), {.vocab_size = 280}));
  EXPECT_EQ(tokenizer->vocab_size(), 280);
  EXPECT_EQ(tokenizer->bos_id(), 0);
  EXPECT_EQ(tokenizer->eos_id(), 1);
  EXPECT_LT(tokenizer->encode(list[0]).size(), list[0].size());
  test::Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::string bytes;
    for (std::uint64_t length = random.below(200); length > 0; --length) {
      bytes += static_cast<char>(trial % 2 == 0 ? random.below(256) : ' ' + random.below(90));
    }
    ASSERT_EQ(tokenizer->decode(tokenizer->encode(bytes)), bytes);
  }
}

TEST(TrainBpe, ASmallTextGivesASmallVocabulary) {
  const Json file = trained({"aaaa"}, {.vocab_size = 1000});
  EXPECT_EQ(file["model"]["merges"], Json::parse(R"([["a","a"],["aa","aa"]])"));
  EXPECT_EQ(file["model"]["vocab"].size(), 260U);
}

TEST(TrainBpe, TextCannotMakeASpecialToken) {
  BpeTrainOptions options{.vocab_size = 300, .special_tokens = {"<x>"}, .pattern = "<x>|."};
  const Json file = trained({"<x><x><x>"}, options);
  for (const Json& merge : file["model"]["merges"]) {
    EXPECT_NE(merge[0].get<std::string>() + merge[1].get<std::string>(), "<x>");
  }
}

TEST(TrainBpe, RefusesWhatCannotBe) {
  const auto train = [](BpeTrainOptions options) { return test::message_of([&] { train_bpe(test::texts({"text"}), options); }); };
  EXPECT_THAT_SAYS(train({.vocab_size = 257}),
                   "tokenizer.vocab_size (model.vocab_size where that is 0): expected 258 (256 bytes and 2 special tokens)");
  EXPECT_THAT_SAYS(train({.vocab_size = 300, .special_tokens = {"<a>", "<a>"}}), "special token \"<a>\"");
  EXPECT_THAT_SAYS(train({.vocab_size = 300, .special_tokens = {"\xff\xff"}}), "valid UTF-8");
  EXPECT_THAT_SAYS(train({.vocab_size = 300, .special_tokens = {}, .pattern = "(a"}), "regular expression \"(a\"");
  const auto broken = [](std::string&) -> bool { fail("a.txt: gone"); };
  EXPECT_THAT_SAYS(test::message_of([&] { train_bpe(broken, {.vocab_size = 300}); }), "a.txt: gone");
}

}  // namespace
}  // namespace rhea
