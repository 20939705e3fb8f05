#include "rhea/data/token_corpus.h"

#include "rhea/data/token_file_format.h"
#include "rhea/tokenizers/train_bpe.h"
#include "tests/unit/data/fixtures.h"

#include <cstring>
#include <thread>

namespace rhea {
namespace {

using test::Folder;

template <class Id>
std::string shard_of(std::vector<std::int32_t> head, const std::vector<Id>& ids) {
  head.resize(256);
  std::string bytes(reinterpret_cast<const char*>(head.data()), 1024);
  return bytes.append(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(Id));
}

std::string shard(const std::vector<std::int32_t>& head, const std::vector<std::uint16_t>& ids) {
  return shard_of(head, ids);
}

std::string wide_shard(const std::vector<std::int32_t>& head, const std::vector<std::uint32_t>& ids) {
  return shard_of(head, ids);
}

// A tokenizer of single bytes: no word occurs in its training text.
std::unique_ptr<Tokenizer> byte_tokenizer(const Folder& folder) {
  const auto no_text = [](std::string&) { return false; };
  return load_tokenizer(folder.write("bytes/tokenizer.json", train_bpe(no_text, {.vocab_size = 258})));
}

std::vector<std::string> texts_of(const TokenCorpus& corpus, const Tokenizer& tokenizer) {
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < corpus.num_documents(); ++i) {
    std::vector<std::int64_t> wide(corpus.length(i));
    corpus.tokens(i).copy(0, wide);
    texts.push_back(tokenizer.decode(std::vector<std::int32_t>(wide.begin(), wide.end())));
  }
  return texts;
}

std::vector<std::filesystem::path> token_files(const Folder& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cache")) {
    if (entry.path().extension() == ".tokens") {
      files.push_back(entry.path());
    }
  }
  return files;
}

TEST(TokenCorpus, TextIsTokenisedOnce) {
  const Folder folder;
  const auto tokenizer = byte_tokenizer(folder);
  folder.write("text/a.txt", "one\n x\ntwo\n");
  folder.write("text/b.jsonl", "{\"text\": \"three\"}\n{\"text\": \"\"}\n{\"text\": \"four\"}\n");
  SourceOptions options;
  options.paths = {folder / "text"};
  options.document_start = "^\\S";
  const auto corpus = open_corpus(options, *tokenizer, folder / "cache");
  EXPECT_EQ(texts_of(*corpus, *tokenizer), (std::vector<std::string>{"one\n x\n", "two\n", "three", "four"}));
  EXPECT_EQ(corpus->num_tokens(), 20);
  const auto files = token_files(folder);
  ASSERT_EQ(files.size(), 1U);
  const auto made = std::filesystem::last_write_time(files[0]);
  EXPECT_EQ(open_corpus(options, *tokenizer, folder / "cache")->fingerprint(), corpus->fingerprint());
  EXPECT_EQ(std::filesystem::last_write_time(files[0]), made);
  folder.write("text/a.txt", "other text\n");
  EXPECT_EQ(open_corpus(options, *tokenizer, folder / "cache")->num_documents(), 3);
  EXPECT_EQ(token_files(folder).size(), 2U);
}

TEST(TokenCorpus, ThreadsDoNotShow) {
  const Folder folder;
  const auto tokenizer = byte_tokenizer(folder);
  std::string text;
  for (int i = 0; text.size() < (3 << 20); ++i) {
    text += "word" + std::to_string(i) + "\n  its definition\n";
  }
  SourceOptions options;
  options.paths = {folder.write("a.txt", text)};
  options.document_start = "^\\S";
  std::string bytes;
  for (const int threads : {1, 3}) {
    std::filesystem::remove_all(folder / "cache");
    open_corpus(options, *tokenizer, folder / "cache", threads);
    const std::string now = read_file(token_files(folder).at(0));
    EXPECT_TRUE(bytes.empty() || bytes == now) << threads;
    bytes = now;
  }
}

TEST(TokenCorpus, SeveralAtOnceDoNotHurtEachOther) {
  const Folder folder;
  const auto tokenizer = byte_tokenizer(folder);
  SourceOptions options;
  options.paths = {folder.write("a.txt", std::string(100000, 'x'))};
  std::vector<std::int64_t> tokens(6);
  {
    std::vector<std::jthread> threads;
    for (std::int64_t& count : tokens) {
      threads.emplace_back([&] { count = open_corpus(options, *tokenizer, folder / "cache")->num_tokens(); });
    }
  }
  EXPECT_EQ(tokens, std::vector<std::int64_t>(6, 100000));
  EXPECT_EQ(token_files(folder).size(), 1U);
}

TEST(TokenCorpus, ABrokenCacheIsMadeAnew) {
  const Folder folder;
  const auto tokenizer = byte_tokenizer(folder);
  SourceOptions options;
  options.paths = {folder.write("a.txt", "some text")};
  open_corpus(options, *tokenizer, folder / "cache");
  const auto path = token_files(folder).at(0);
  const std::string good = read_file(path);
  for (std::size_t cut = 0; cut < good.size(); cut += 7) {
    write_file_atomically(path, good.substr(0, cut));
    ASSERT_EQ(open_corpus(options, *tokenizer, folder / "cache")->num_tokens(), 9) << cut;
    ASSERT_EQ(read_file(path), good);
  }
}

TEST(TokenFile, SaysWhatIsBroken) {
  const Folder folder;
  test::make_corpus(folder, {{1, 2, 3}, {4, 5}}, 100);
  const std::string good = read_file(folder / "corpus.tokens");
  ASSERT_EQ(good.size(), 16U + 24 + 64);
  const auto open = [&](const std::string& bytes, std::uint64_t key = 1) {
    return test::message_of([&] { TokenFile::open_cached(folder.write("bad.tokens", bytes), key); });
  };
  // The trailer changed by a program that also mends the hash: nothing in it is believed unseen.
  const auto with = [&](auto change) {
    TokenFileTrailer trailer;
    std::memcpy(&trailer, good.data() + good.size() - 64, 64);
    change(trailer);
    trailer.hash = trailer.own_hash();
    return open(good.substr(0, good.size() - 64) + std::string(reinterpret_cast<const char*>(&trailer), 64));
  };
  EXPECT_THAT_SAYS(open(""), "bad.tokens: 0 bytes are too few");
  EXPECT_THAT_SAYS(open(good.substr(8)), "do not fit");
  EXPECT_THAT_SAYS(open(good.substr(0, good.size() - 8)), "the trailer is broken");
  EXPECT_THAT_SAYS(open(good, 2), "made from other text");
  EXPECT_THAT_SAYS(with([](auto& t) { t.version = 2; }), "version 2");
  EXPECT_THAT_SAYS(with([](auto& t) { t.num_tokens = UINT64_MAX / 2; }), "do not fit");
  EXPECT_THAT_SAYS(with([](auto& t) { t.num_tokens = 6; }), "bounds of the documents do not ascend");
  EXPECT_THAT_SAYS(with([](auto& t) { t.num_documents = UINT64_MAX / 8 + 2; }), "do not fit");
  EXPECT_THAT_SAYS(with([](auto& t) { t.bytes_per_token = 0; }), "do not fit");
  std::string bounds = good;
  bounds[16 + 8] = 100;  // the second document begins behind the end
  EXPECT_THAT_SAYS(open(bounds), "the bounds of the documents are broken");
  TokenFileTrailer trailer;
  std::memcpy(&trailer, good.data() + good.size() - 64, 64);
  trailer.bounds_hash = hash_name(std::string_view(bounds).substr(16, 24));
  trailer.hash = trailer.own_hash();
  std::memcpy(bounds.data() + bounds.size() - 64, &trailer, 64);
  EXPECT_THAT_SAYS(open(bounds), "do not ascend");
}

TEST(TokenFile, WideIdsAreKept) {
  const Folder folder;
  const auto corpus = test::make_corpus(folder, {{1, 70000, 3}, {}, {4}}, 100000);
  EXPECT_EQ(corpus->num_documents(), 2) << "empty documents are left out";
  std::vector<std::int64_t> ids(2);
  corpus->tokens(0).copy(1, ids);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{70000, 3}));
}

TEST(TokenCorpus, ShardsAreMapped) {
  const Folder folder;
  const auto tokenizer = byte_tokenizer(folder);  // BOS 0, EOS 1
  folder.write("s/a.bin", shard({20240520, 1, 7}, {1, 10, 11, 1, 0, 12, 1}));
  folder.write("s/b.bin", shard({20240520, 1, 2}, {13, 14}));
  folder.write("s/c.bin", wide_shard({20240801, 7, 3}, {0, 70000, 15}));
  const auto corpus = open_corpus({.paths = {folder / "s"}}, *tokenizer, folder / "cache");
  ASSERT_EQ(corpus->num_documents(), 4);
  EXPECT_EQ(corpus->num_tokens(), 7);
  const auto ids = [&](std::int64_t document) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(corpus->length(document)));
    corpus->tokens(document).copy(0, out);
    return out;
  };
  EXPECT_EQ(ids(0), (std::vector<std::int64_t>{10, 11}));
  EXPECT_EQ(ids(1), (std::vector<std::int64_t>{12}));
  EXPECT_EQ(ids(2), (std::vector<std::int64_t>{13, 14}));
  EXPECT_EQ(ids(3), (std::vector<std::int64_t>{70000, 15}));
}

TEST(TokenCorpus, BrokenShardsAreNamed) {
  const Folder folder;
  const auto open = [&](const std::string& bytes) {
    return test::message_of([&] { TokenFile::open_shard(folder.write("a.bin", bytes), {}); });
  };
  EXPECT_THAT_SAYS(open(""), "a.bin: 0 bytes are too few");
  EXPECT_THAT_SAYS(open(shard({7}, {})), "no llm.c shard of tokens: it begins with 7");
  EXPECT_THAT_SAYS(open(shard({20240520, 2, 1}, {1})), "version 2");
  EXPECT_THAT_SAYS(open(shard({20240520, 1, 2000000000}, {1, 2})), "the header speaks of 2000000000 tokens");
  EXPECT_THAT_SAYS(open(shard({20240520, 1, -5}, {1, 2})), "-5 tokens");
  EXPECT_THAT_SAYS(open(shard({20240520, 1, 1}, {1}) + "x"), "cut or broken");
}

TEST(TokenCorpus, EmptyDataIsNamed) {
  const Folder folder;
  const auto tokenizer = byte_tokenizer(folder);
  const std::string path = folder.write("a.txt", "");
  EXPECT_SAYS(open_corpus({.paths = {path}}, *tokenizer, folder / "cache"), path + ": the data set is empty");
  EXPECT_SAYS(build_tokenizer({}, {.paths = {folder.write("a.bin", "x")}}, folder / "cache"), "no tokenizer can be trained");
}

TEST(BuildTokenizer, TrainsOnceAndKeepsIt) {
  const Folder folder;
  SourceOptions sources;
  sources.paths = {folder.write("a.txt", "low lower lowest low low")};
  const auto tokenizer = build_tokenizer({.path = "", .vocab_size = 260}, sources, folder / "cache");
  EXPECT_EQ(tokenizer->vocab_size(), 260);
  EXPECT_EQ(tokenizer->bos_id(), 0);
  EXPECT_EQ(tokenizer->eos_id(), 1);
  const auto again = build_tokenizer({.path = "", .vocab_size = 260}, sources, folder / "cache");
  EXPECT_EQ(again->hash(), tokenizer->hash());
  EXPECT_NE(build_tokenizer({.path = "", .vocab_size = 261}, sources, folder / "cache")->hash(), tokenizer->hash());
}

}  // namespace
}  // namespace rhea
