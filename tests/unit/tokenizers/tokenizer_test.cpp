#include "rhea/tokenizers/tokenizer.h"

#include "rhea/tokenizers/bpe.h"
#include "rhea/tokenizers/byte_level.h"
#include "tests/unit/tokenizers/fixtures.h"

#include <thread>

namespace rhea {
namespace {

using test::Folder;
using test::Json;

// A tokenizer.json with the 256 bytes (ids in order of the byte) and the merges; each makes the next id.
Json byte_level_file(const std::vector<std::pair<std::string, std::string>>& merges) {
  Json file = {{"version", "1.0"},
               {"truncation", nullptr},
               {"padding", nullptr},
               {"added_tokens", Json::array()},
               {"normalizer", nullptr},
               {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}},
               {"post_processor", nullptr},
               {"decoder", {{"type", "ByteLevel"}}},
               {"model", {{"type", "BPE"}, {"vocab", Json::object()}, {"merges", Json::array()}}}};
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    file["model"]["vocab"][spell_bytes({&c, 1})] = byte;
  }
  for (const auto& [left, right] : merges) {
    file["model"]["merges"].push_back(left + " " + right);
    const auto next = file["model"]["vocab"].size();
    file["model"]["vocab"].emplace(left + right, next);
  }
  return file;
}

Json special(const std::string& content, int id, bool normalized = false) {
  return {{"id", id}, {"content", content}, {"special", !normalized}, {"normalized", normalized}};
}

using Ids = std::vector<std::int32_t>;

TEST(Tokenizer, MergesInTheOrderLearned) {
  const Folder folder;
  // 256 "he", 257 "ll", 258 "hell", 259 "lo"
  const auto tokenizer = folder.load(byte_level_file({{"h", "e"}, {"l", "l"}, {"he", "ll"}, {"l", "o"}}).dump());
  EXPECT_EQ(tokenizer->encode("hello"), (Ids{258, 'o'}));
  EXPECT_EQ(tokenizer->encode("lo lll"), (Ids{259, ' ', 257, 'l'})) << "the leftmost of equals";
  EXPECT_EQ(tokenizer->encode(""), Ids{});
  EXPECT_EQ(tokenizer->token(258), "hell");
  EXPECT_EQ(tokenizer->id_of("hell"), 258);
  EXPECT_EQ(tokenizer->id_of("hello"), std::nullopt);
  EXPECT_EQ(tokenizer->decode(Ids{258, 'o', 0xE2, 0x82, 0xAC}), "hello\xe2\x82\xac");
  EXPECT_FALSE(tokenizer->bos_id());
  EXPECT_THAT_SAYS(test::message_of([&] { tokenizer->decode(Ids{260}); }), "id 260 is outside the vocabulary of 260 tokens");
  EXPECT_THAT_SAYS(test::message_of([&] { tokenizer->decode(Ids{-1}); }), "id -1");
}

TEST(Tokenizer, BothWrittenFormsOfMerges) {
  const Folder folder;
  Json file = byte_level_file({{"h", "e"}, {"l", "l"}, {"he", "ll"}});
  const auto one = folder.load(file.dump())->encode("hell shell");
  for (Json& merge : file["model"]["merges"]) {
    const std::string text = merge;
    merge = {text.substr(0, text.find(' ')), text.substr(text.find(' ') + 1)};
  }
  EXPECT_EQ(folder.load(file.dump())->encode("hell shell"), one);
}

// The definition, with no cleverness: the best pair of the whole piece, the leftmost of equals, until there is none.
Ids slow_encode(const Json& file, const std::string& piece) {
  std::vector<std::string> symbols;
  for (const char c : piece) {
    symbols.push_back(spell_bytes({&c, 1}));
  }
  while (true) {
    std::size_t best_rank = SIZE_MAX, best = 0;
    for (std::size_t i = 1; i < symbols.size(); ++i) {
      const auto& merges = file["model"]["merges"];
      for (std::size_t rank = 0; rank < merges.size() && rank < best_rank; ++rank) {
        if (merges[rank] == symbols[i - 1] + " " + symbols[i]) {
          best_rank = rank;
          best = i;
        }
      }
    }
    if (best == 0) {
      break;
    }
    symbols[best - 1] += symbols[best];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best));
  }
  Ids ids;
  for (const std::string& symbol : symbols) {
    ids.push_back(file["model"]["vocab"][symbol]);
  }
  return ids;
}

TEST(Tokenizer, ShortAndLongPiecesMergeAsDefined) {
  const Folder folder;
  const Json file =
      byte_level_file({{"a", "b"}, {"b", "a"}, {"ab", "a"}, {"a", "a"}, {"aa", "aa"}, {"ba", "ba"}, {"ab", "ab"}, {"aba", "b"}});
  const auto tokenizer = folder.load(file.dump());
  test::Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::string piece;
    for (std::uint64_t length = 1 + random.below(120); length > 0; --length) {
      piece += static_cast<char>('a' + random.below(2));
    }
    ASSERT_EQ(tokenizer->encode(piece), slow_encode(file, piece)) << piece;
    ASSERT_EQ(tokenizer->encode(piece), slow_encode(file, piece)) << "from the cache: " << piece;
  }
}

TEST(Tokenizer, ThePatternCutsFirst) {
  const Folder folder;
  Json file = byte_level_file({{"a", "1"}, {"1", "2"}, {"12", "3"}, {"123", "4"}, {"\xc4\xa0", "a"}});
  EXPECT_EQ(folder.load(file.dump())->encode("a1234 a"), (Ids{'a', 259, 260})) << "GPT-2 cuts letters from digits";
  file["pre_tokenizer"] = Json::parse(R"({"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": "\\p{N}{1,3}"}, "behavior": "Isolated", "invert": false},
    {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]})");
  EXPECT_EQ(folder.load(file.dump())->encode("a1234 a"), (Ids{'a', 258, '4', 260}));
  file["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", false}};
  EXPECT_EQ(folder.load(file.dump())->encode("a1234"), (Ids{' ', 256, '2', '3', '4'}));
}

TEST(Tokenizer, IgnoreMergesTakesWholePieces) {
  const Folder folder;
  Json file = byte_level_file({{"a", "b"}});
  file["model"]["vocab"]["abc"] = 257;
  EXPECT_EQ(folder.load(file.dump())->encode("abc"), (Ids{256, 'c'}));
  file["model"]["ignore_merges"] = true;
  EXPECT_EQ(folder.load(file.dump())->encode("abc abcd"), (Ids{257, ' ', 256, 'c', 'd'}));
}

TEST(Tokenizer, AddedTokensAreFoundInTheText) {
  const Folder folder;
  Json file = byte_level_file({});
  file["added_tokens"] = {special("<s>", 256), special("<s>x", 257), special("</s>", 258), special("note", 260, true)};
  const auto tokenizer = folder.load(file.dump());
  EXPECT_EQ(tokenizer->encode("<s><s>x<s</s>"), (Ids{256, 257, '<', 's', 258})) << "the longest";
  EXPECT_EQ(tokenizer->encode("a notes"), (Ids{'a', ' ', 260, 's'}));
  EXPECT_EQ(tokenizer->vocab_size(), 261);
  EXPECT_EQ(tokenizer->token(259), "");
  EXPECT_EQ(tokenizer->bos_id(), 256);
  EXPECT_EQ(tokenizer->eos_id(), 258);
  const Ids ids = {256, 'a', 260, 258};
  EXPECT_EQ(tokenizer->decode(ids), "<s>anote</s>");
  EXPECT_EQ(tokenizer->decode(ids, true), "anote");
}

TEST(Tokenizer, TheConfigBesideItNamesBosAndEos) {
  const Folder folder;
  Json file = byte_level_file({});
  file["added_tokens"] = {special("<s>", 256), special("<end>", 257)};
  write_file_atomically(folder.path() / "tokenizer_config.json", R"({"bos_token": null, "eos_token": {"content": "<end>"}})");
  const auto tokenizer = folder.load(file.dump());
  EXPECT_EQ(tokenizer->bos_id(), 256);
  EXPECT_EQ(tokenizer->eos_id(), 257);
  write_file_atomically(folder.path() / "tokenizer_config.json", R"({"bos_token": "<none>"})");
  EXPECT_THAT_SAYS(test::message_of([&] { load_tokenizer(folder.path()); }),
                   "tokenizer_config.json: bos_token: \"<none>\" is no token");
}

TEST(Tokenizer, NfcComposesAndKeepsOtherBytes) {
  const Folder folder;
  Json file = byte_level_file({});
  file["normalizer"] = {{"type", "NFC"}};
  const auto tokenizer = folder.load(file.dump());
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("e\xcc\x81 \xff")), "\xc3\xa9 \xff");
}

TEST(Tokenizer, ThreadsShareOne) {
  const Folder folder;
  const auto tokenizer = folder.load(byte_level_file({{"h", "e"}, {"l", "l"}, {"he", "ll"}}).dump());
  const Ids expected = tokenizer->encode("hello shell hell");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) {
        ASSERT_EQ(tokenizer->encode("hello shell hell"), expected);
      }
    });
  }
}

// The 76 kinds of files in tests/parity/tokenizer_json_test.py show that all stages do what Hugging Face's do; here is what
// a reader wants to see of them.
Json characters_file(const std::vector<std::string>& vocab, const Json& stages) {
  Json file = {{"model", {{"type", "BPE"}, {"vocab", Json::object()}, {"merges", Json::array()}, {"unk_token", vocab[0]}}}};
  for (const std::string& token : vocab) {
    file["model"]["vocab"].emplace(token, file["model"]["vocab"].size());
  }
  file.merge_patch(stages);
  return file;
}

TEST(Tokenizer, SentencePieceStyle) {
  const Folder folder;
  Json file = characters_file({"<unk>", "\u2581", "a", "b", "ab", "\u2581ab"}, Json::parse(R"({
    "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": true},
    "decoder": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": true},
    "model": {"merges": ["a b", "\u2581 ab"]}})"));
  EXPECT_EQ(folder.load(file.dump())->encode("ab  b"), (Ids{5, 1, 1, 3}));
  EXPECT_EQ(folder.load(file.dump())->decode(Ids{5, 1, 1, 3}), "ab  b");
  EXPECT_EQ(folder.load(file.dump())->encode("a??"), (Ids{1, 2, 0, 0}));
  file["model"]["fuse_unk"] = true;
  EXPECT_EQ(folder.load(file.dump())->encode("a??"), (Ids{1, 2, 0}));
  file["model"]["vocab"]["<0x3F>"] = 6;
  file["model"]["byte_fallback"] = true;
  EXPECT_EQ(folder.load(file.dump())->encode("a?\?!"), (Ids{1, 2, 6, 6, 0}));
}

TEST(Tokenizer, BertStyle) {
  const Folder folder;
  Json file = Json::parse(R"({
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
              "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "un": 3, "##aff": 4, "##able": 5, ".": 6, "e": 7}}})");
  const auto tokenizer = folder.load(file.dump());
  EXPECT_EQ(tokenizer->encode("Unaffable. \u00c9 unx"), (Ids{3, 4, 5, 6, 7, 0})) << "a word with an unknown part is unknown";
  EXPECT_EQ(tokenizer->encode_with_special_tokens("e"), (Ids{1, 7, 2}));
  EXPECT_EQ(tokenizer->decode(Ids{3, 4, 5, 6}), "unaffable.");
}

TEST(Tokenizer, UnigramTakesTheLikeliestCut) {
  const Folder folder;
  const auto tokenizer = folder.load(R"({"model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false,
    "vocab": [["<unk>", 0], ["a", -1], ["b", -1], ["ab", -1.5], ["abab", -3.5], ["ba", -0.1]]}})");
  EXPECT_EQ(tokenizer->encode("abab"), (Ids{1, 5, 2})) << "-2.1, against -3 for ab ab and -3.5 for abab";
  EXPECT_EQ(tokenizer->encode("xya"), (Ids{0, 1}));
}

TEST(Tokenizer, AddedTokensTakeSpaces) {
  const Folder folder;
  Json file = byte_level_file({});
  file["added_tokens"] = {special("<m>", 256), special("<r>", 257), special("cat", 258, true)};
  file["added_tokens"][0]["lstrip"] = true;
  file["added_tokens"][1]["rstrip"] = true;
  file["added_tokens"][2]["single_word"] = true;
  const auto tokenizer = folder.load(file.dump());
  EXPECT_EQ(tokenizer->encode("a  <m> b"), (Ids{'a', 256, ' ', 'b'}));
  EXPECT_EQ(tokenizer->encode("a <r> \n b"), (Ids{'a', ' ', 257, 'b'}));
  EXPECT_EQ(tokenizer->encode("cat cats"), (Ids{258, ' ', 'c', 'a', 't', 's'}));
}

// Each changes one thing in a good file and says what the message must have.
struct Wrong {
  const char* change;  // a JSON merge patch (RFC 7396)
  const char* message;
};

class WrongFile : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongFile, IsRefusedByName) {
  const Folder folder;
  Json file = byte_level_file({{"h", "e"}});
  file.merge_patch(Json::parse(GetParam().change));
  EXPECT_THAT_SAYS(test::message_of([&] { folder.load(file.dump()); }), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Tokenizer, WrongFile,
    ::testing::Values(
        Wrong{R"({"pre_tokenizer": {"type": "UnicodeScripts"}})",
              "tokenizer.json: pre_tokenizer: \"UnicodeScripts\" is not supported"},
        Wrong{R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "Digit"}]}})",
              "pre_tokenizer.pretokenizers[1]: \"Digit\" is not supported"},
        Wrong{R"({"pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "last"}})",
              "pre_tokenizer.prepend_scheme: \"last\" is none of always, first, never"},
        Wrong{R"({"pre_tokenizer": {"type": "Split", "behavior": "Kept", "pattern": {"Regex": "a"}}})",
              "pre_tokenizer.behavior: \"Kept\" is none of Removed, Isolated"},
        Wrong{R"({"pre_tokenizer": {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "(a"}}})",
              "pre_tokenizer.pattern.Regex: regular expression"},
        Wrong{R"({"pre_tokenizer": {"type": "Split", "behavior": "Isolated", "pattern": {"Glob": "*"}}})",
              "pre_tokenizer.pattern: expected {\"String\": ...} or {\"Regex\": ...}"},
        Wrong{R"({"normalizer": {"type": "Uppercase"}})", "normalizer: \"Uppercase\" is not supported"},
        Wrong{R"({"normalizer": {"type": "Precompiled", "precompiled_charsmap": "####"}})", "normalizer.precompiled_charsmap: "},
        Wrong{R"({"decoder": {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Melt"}]}})",
              "decoder.decoders[1]: \"Melt\" is not supported"},
        Wrong{
            R"({"post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}], "pair": [], "special_tokens": {}}})",
            "the text twice is not supported"},
        Wrong{R"({"truncation": {"max_length": 5}})", "truncation: is not supported; set it to null"},
        Wrong{R"({"model": {"type": "Trigram"}})",
              "model: \"Trigram\" is not supported; supported are \"BPE\", \"WordPiece\", \"WordLevel\" and \"Unigram\""},
        Wrong{R"({"model": {"dropout": 0.1}})", "model.dropout: is not supported"},
        Wrong{R"({"model": {"unk_token": "<unk>"}})", "model.unk_token: \"<unk>\" is not in vocab"},
        Wrong{R"({"model": {"end_of_word_suffix": "</w>"}})", "end_of_word_suffix are not supported behind \"ByteLevel\""},
        Wrong{R"({"model": null})", "top level: \"model\" is missing"}, Wrong{R"({"model": 5})", "model: expected an object"},
        Wrong{R"({"model": {"vocab": {"he": 99999999999}}})", "the id of \"he\" must be an integer"},
        Wrong{R"({"model": {"vocab": {"he": -1}}})", "the id of \"he\" must be an integer"},
        Wrong{R"({"model": {"vocab": {"he": 5}}})", "each id needs one token"},
        Wrong{R"({"model": {"vocab": null}})", "model: \"vocab\" is missing"},
        Wrong{R"({"model": {"merges": ["h"]}})", "model.merges: entry 0 (\"h\") must be two tokens"},
        Wrong{R"({"model": {"merges": [["h", "e", "x"]]}})", "model.merges: entry 0 must be"},
        Wrong{R"({"model": {"merges": ["h o"]}})", "model.merges: entry 0: \"ho\" is not in vocab"},
        Wrong{R"({"added_tokens": [{"id": 3, "content": "<s>"}]})",
              "added_tokens[0].id: id 3 of \"<s>\" contradicts model.vocab"},
        Wrong{R"({"added_tokens": [{"id": 9999999999, "content": "<s>"}]})", "added_tokens[0].id: expected an integer from 0"},
        Wrong{R"({"added_tokens": [{"id": 300, "content": ""}]})", "added_tokens[0].content: is empty"},
        Wrong{R"({"added_tokens": [{"id": 300, "content": "<s>", "lstrip": 1}]})",
              "added_tokens[0].lstrip: expected true or false"},
        Wrong{R"({"added_tokens": [{"content": "<s>"}]})", "added_tokens[0]: \"id\" is missing"}));

TEST(Tokenizer, BrokenFilesAreNamed) {
  const Folder folder;
  EXPECT_THAT_SAYS(test::message_of([&] { folder.load(""); }), "tokenizer.json: no valid JSON");
  EXPECT_THAT_SAYS(test::message_of([&] { folder.load(byte_level_file({}).dump().substr(0, 900)); }), "no valid JSON");
  EXPECT_THAT_SAYS(test::message_of([&] { folder.load("[]"); }), "top level: expected an object");
  EXPECT_THAT_SAYS(test::message_of([&] { load_tokenizer(folder.path() / "none"); }), "none");
  Json file = byte_level_file({});
  file["model"]["vocab"] = {{"\xe6\x97\xa5", 0}};
  EXPECT_THAT_SAYS(test::message_of([&] { folder.load(file.dump()); }), "this is no byte-level vocabulary");
}

}  // namespace
}  // namespace rhea
