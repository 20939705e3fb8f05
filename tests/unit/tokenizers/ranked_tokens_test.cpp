// Files of tokens by rank. tests/parity compares real ones with tiktoken.
#include "tests/unit/tokenizers/fixtures.h"

namespace rhea {
namespace {

using test::Folder;
using test::Json;
using Ids = std::vector<std::int32_t>;

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = (bits << 8) | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += i + j <= bytes.size() ? kDigits[(bits >> (18 - 6 * j)) & 63] : '=';
    }
  }
  return out;
}

// The bytes, "he", "ll", "hell" and filler, as many as r50k_base has.
std::string rank_file(int count = 50256) {
  std::string out;
  for (int rank = 0; rank < count; ++rank) {
    const char byte = static_cast<char>(rank);
    const std::string token = rank < 256    ? std::string(1, byte)
                              : rank == 256 ? "he"
                              : rank == 257 ? "ll"
                              : rank == 258 ? "hell"
                                            : fmt::format("filler{}", rank);
    out += fmt::format("{} {}\n", base64(token), rank);
  }
  return out;
}

Json tekken() {
  Json file = {{"config", {{"pattern", "\\p{L}+|[^\\p{L}]"}, {"default_vocab_size", 1258}, {"default_num_special_tokens", 1000}}},
               {"vocab", Json::array()}};
  for (int rank = 0; rank < 300; ++rank) {
    const std::string token = rank < 256    ? std::string(1, static_cast<char>(rank))
                              : rank == 256 ? "he"
                                            : fmt::format("x{}", rank);
    file["vocab"].push_back({{"rank", rank}, {"token_bytes", base64(token)}});
  }
  return file;
}

TEST(RankedTokens, MergeByRank) {
  const Folder folder;
  write_file_atomically(folder.path() / "any.tiktoken", rank_file());
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_EQ(tokenizer->encode("hello"), (Ids{258, 'o'}));
  EXPECT_EQ(tokenizer->encode("he<|endoftext|>\xff"), (Ids{256, 50256, 0xFF}));
  EXPECT_EQ(tokenizer->decode(Ids{258, 'o', 50256, 0xE2, 0x82, 0xAC}), "hello<|endoftext|>\xe2\x82\xac");
  EXPECT_EQ(tokenizer->eos_id(), 50256);
  EXPECT_EQ(tokenizer->vocab_size(), 50257);
}

TEST(RankedTokens, OfTekkenStandBehindTheSpecialOnes) {
  const Folder folder;
  write_file_atomically(folder.path() / "tekken.json", tekken().dump());
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_EQ(tokenizer->vocab_size(), 1258) << "what the file holds beyond is not used";
  EXPECT_EQ(tokenizer->encode("[INST]he!"), (Ids{3, 1256, 1000 + '!'}));
  EXPECT_EQ(tokenizer->decode(Ids{1, 1256, 999}), "<s>he<SPECIAL_999>");
  EXPECT_EQ(tokenizer->bos_id(), 1);
}

TEST(RankedTokens, RefuseByName) {
  const Folder folder;
  const auto says = [&](const std::string& contents) {
    write_file_atomically(folder.path() / "any.tiktoken", contents);
    return test::message_of([&] { load_tokenizer(folder.path() / "any.tiktoken"); });
  };
  EXPECT_THAT_SAYS(says(rank_file(300)), "any.tiktoken: its 300 tokens are those of no known encoding");
  EXPECT_THAT_SAYS(says("aGU= 0\n!!! 1\n"), "any.tiktoken: line 2: expected a token in base64 and its rank");
  EXPECT_THAT_SAYS(says("aGU= 5000\n"), "line 1: expected");
  EXPECT_THAT_SAYS(says(rank_file().substr(7)), "its 50255 tokens are those of no known encoding");
  const auto says_of = [&](const Json& file) {
    write_file_atomically(folder.path() / "tekken.json", file.dump());
    return test::message_of([&] { load_tokenizer(folder.path() / "tekken.json"); });
  };
  Json cut = tekken(), spoilt = tekken();
  cut["vocab"].erase(200);
  EXPECT_THAT_SAYS(says_of(cut), "tekken.json: vocab: no token has the rank 200");
  spoilt["vocab"][3]["token_bytes"] = "?";
  EXPECT_THAT_SAYS(says_of(spoilt), "vocab[3].token_bytes");
}

TEST(RankedTokens, AFolderMustHoldOneTokenizer) {
  const Folder folder;
  EXPECT_THAT_SAYS(test::message_of([&] { load_tokenizer(folder.path()); }), "no tokenizer in this folder");
  write_file_atomically(folder.path() / "a.tiktoken", "x");
  write_file_atomically(folder.path() / "b.tiktoken", "x");
  EXPECT_THAT_SAYS(test::message_of([&] { load_tokenizer(folder.path()); }), "more than one .tiktoken file");
}

}  // namespace
}  // namespace rhea
