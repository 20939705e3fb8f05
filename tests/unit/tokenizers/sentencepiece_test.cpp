// SentencePiece .model files made by hand. tests/parity compares real ones with SentencePiece's own library.
#include "tests/unit/tokenizers/fixtures.h"

#include <cstring>
#include <random>

namespace rhea {
namespace {

using test::Folder;
using Ids = std::vector<std::int32_t>;

enum Type : std::uint8_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

// Fields of protobuf's wire format.
std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>((value & 0x7F) | 0x80);
  }
  return out + static_cast<char>(value);
}
std::string field(int number, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}
std::string field(int number, std::string_view bytes) {
  return varint((static_cast<std::uint64_t>(number) << 3) | 2) + varint(bytes.size()) + std::string(bytes);
}
std::string field(int number, float value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return varint((static_cast<std::uint64_t>(number) << 3) | 5) + bytes;
}
std::string piece(std::string_view text, float score, Type type = kNormal) {
  return field(1, field(1, text) + field(2, score) + field(3, static_cast<std::uint64_t>(type)));
}

constexpr std::uint64_t kUnigram = 1, kBpe = 2;

struct Options {
  std::uint64_t algorithm = kBpe;
  bool bytes = false, add_space = true, remove_extra = true;
};

// 0 <unk>, 1 <s>, 2 </s>, 3 [INST], then `more`.
std::string model(const std::string& more, Options options = {}) {
  std::string out =
      piece("<unk>", 0, kUnknown) + piece("<s>", 0, kControl) + piece("</s>", 0, kControl) + piece("[INST]", 0, kControl) + more;
  for (int byte = 0; options.bytes && byte < 256; ++byte) {
    out += piece(fmt::format("<0x{:02X}>", byte), 0, kByte);
  }
  out += field(2, field(3, options.algorithm) + field(35, static_cast<std::uint64_t>(options.bytes)));
  return out + field(3, field(3, static_cast<std::uint64_t>(options.add_space)) +
                            field(4, static_cast<std::uint64_t>(options.remove_extra)));
}

// 4 "▁", 5 h, 6 e, 7 l, 8 o, 9 "he", 10 "ll", 11 "▁he"
const std::string kHello = piece("▁", -1) + piece("h", -9) + piece("e", -9) + piece("l", -9) + piece("o", -9) + piece("he", -2) +
                           piece("ll", -3) + piece("▁he", -4);

std::unique_ptr<Tokenizer> load(const Folder& folder, const std::string& contents) {
  write_file_atomically(folder.path() / "tokenizer.model", contents);
  return load_tokenizer(folder.path());
}

TEST(SentencePiece, MergesTheBestScoreFirst) {
  const Folder folder;
  const auto tokenizer = load(folder, model(kHello));
  EXPECT_EQ(tokenizer->encode("hello"), (Ids{11, 10, 8}));
  EXPECT_EQ(tokenizer->encode("  hello \t hello"), (Ids{11, 10, 8, 4, 0, 11, 10, 8})) << "spaces go, the tab is unknown";
  EXPECT_EQ(tokenizer->encode("xyz"), (Ids{4, 0})) << "what is unknown is one token";
  EXPECT_EQ(tokenizer->encode(""), Ids{});
  EXPECT_EQ(tokenizer->encode("[INST]").front(), 4) << "control pieces are not looked for in text";
  EXPECT_EQ(tokenizer->decode(Ids{11, 10, 8, 11, 10, 8}), "hello hello");
  EXPECT_EQ(tokenizer->decode(Ids{1, 11, 0, 2}, /*skip_special_tokens=*/true), "he \xe2\x81\x87 ");
  EXPECT_EQ(tokenizer->bos_id(), 1);
  EXPECT_EQ(tokenizer->eos_id(), 2);
}

TEST(SentencePiece, WritesUnknownTextInBytes) {
  const Folder folder;
  const auto tokenizer = load(folder, model(kHello, {.bytes = true, .add_space = false, .remove_extra = false}));
  const Ids ids = tokenizer->encode("heé");
  EXPECT_EQ(ids, (Ids{9, 12 + 0xC3, 12 + 0xA9}));
  EXPECT_EQ(tokenizer->decode(ids), "heé");
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("\xff")), "\xef\xbf\xbd") << "a byte that is no UTF-8 becomes U+FFFD";
}

TEST(SentencePiece, KeepsUserDefinedPiecesWhole) {
  const Folder folder;
  const std::string pieces = kHello + piece("ell", 0, kUserDefined);
  EXPECT_EQ(load(folder, model(pieces, {.add_space = false}))->encode("hello"), (Ids{5, 12, 8}));
  // Unigram weighs them: 0.1 a byte but the first, so -9 + 0.2 - 9 here, where "he", "ll", "o" come to -14.
  EXPECT_EQ(load(folder, model(pieces, {.algorithm = kUnigram, .add_space = false}))->encode("hello"), (Ids{9, 10, 8}));
  EXPECT_EQ(load(folder, model(pieces, {.algorithm = kUnigram, .add_space = false}))->encode("ell"), Ids{12});
}

TEST(SentencePiece, UnigramTakesTheLikeliestCut) {
  const Folder folder;
  const auto tokenizer = load(folder, model(kHello, {.algorithm = kUnigram}));
  EXPECT_EQ(tokenizer->encode("hello"), (Ids{4, 9, 10, 8})) << "-1 - 2 beats -4";
}

TEST(SentencePiece, RefusesByName) {
  const Folder folder;
  const auto says = [&](const std::string& contents) { return test::message_of([&] { load(folder, contents); }); };
  EXPECT_THAT_SAYS(says(""), "tokenizer.model: no SentencePiece model: it has no pieces");
  EXPECT_THAT_SAYS(says(model(kHello, {.algorithm = 3})), "its model_type is not supported");
  EXPECT_THAT_SAYS(says(model(kHello + piece("h", -1))), "piece 12 (\"h\") is there twice");
  EXPECT_THAT_SAYS(says(model(kHello + piece("q", -1, kUnused))), "unused pieces (\"q\") of a bpe model are not supported");
  EXPECT_THAT_SAYS(says(piece("a", -1) + field(2, field(3, kBpe))), "no piece for what is unknown");
  EXPECT_THAT_SAYS(says(model(kHello) + field(5, field(2, "abc"))), "denormalizer_spec");
  EXPECT_THAT_SAYS(says(model(kHello) + field(3, field(2, "abc"))), "precompiled_charsmap");
  EXPECT_THAT_SAYS(says(model(kHello + piece("<0x00>", 0, kByte)) + field(2, field(35, std::uint64_t{1}))),
                   "256 pieces for bytes");
  write_file_atomically(folder.path() / "tokenizer_config.json", R"({"tokenizer_class": "XLMRobertaTokenizer"})");
  EXPECT_THAT_SAYS(says(model(kHello)), "tokenizer_config.json: XLMRoberta tokenizers number the pieces");
  write_file_atomically(folder.path() / "added_tokens.json", "{}");
  EXPECT_THAT_SAYS(says(model(kHello)), "added_tokens.json: tokens added to a SentencePiece model are not supported");
}

// Whatever the bytes: a tokenizer or an Error, and what it encodes it decodes.
TEST(SentencePiece, SurvivesBrokenFiles) {
  const Folder folder;
  const std::string good = model(kHello + piece("ell", 0, kUserDefined), {.bytes = true});
  std::mt19937 random(5);
  int loaded = 0, refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string broken = i < 300 ? good.substr(0, good.size() * static_cast<std::size_t>(i) / 300) : good;
    for (int flips = 0; i >= 300 && flips < 3; ++flips) {
      broken[random() % broken.size()] = static_cast<char>(random());
    }
    try {
      const auto tokenizer = load(folder, broken);
      tokenizer->decode(tokenizer->encode("hello é \xff"));
      ++loaded;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(loaded, 0);
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace rhea
