#include "rhea/data/document_reader.h"
#include "tests/unit/data/fixtures.h"

#include <zlib.h>
#include <zstd.h>

namespace rhea {
namespace {

using test::Folder;

std::string gzip(std::string_view text) {
  z_stream zlib{};
  deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&zlib, text.size()) + 64, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::vector<std::string> documents_of(const std::string& path, SourceOptions options = {}) {
  options.paths = {path};
  const auto reader = open_documents(find_sources(options), options);
  std::vector<std::string> documents;
  DocumentPart part;
  for (bool open = false; reader->next(part); open = !part.ends_document) {
    if (open) {
      documents.back() += part.text;
    } else {
      documents.push_back(part.text);
    }
  }
  return documents;
}

using Texts = std::vector<std::string>;

TEST(Documents, APlainFileIsOne) {
  const Folder folder;
  EXPECT_EQ(documents_of(folder.write("a.txt", "one\ntwo\n")), Texts{"one\ntwo\n"});
  EXPECT_EQ(documents_of(folder.write("empty.txt", "")), Texts{});
}

TEST(Documents, WhatIsNoTextIsRefused) {
  const Folder folder;
  const std::string picture("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  EXPECT_THAT_SAYS(test::message_of([&] { documents_of(folder.write("a.png", picture)); }), "a.png: no text: byte 8 is zero");
  EXPECT_THAT_SAYS(test::message_of([&] { documents_of(folder.write("a.txt", "text"), {.document_start = "("}); }),
                   "dataset.document_start: ");
  EXPECT_EQ(documents_of(folder.write("old.txt", "caf\xe9\n")), Texts{"caf\xe9\n"});  // Latin-1 is old text, not a picture
}

TEST(Documents, PackedFilesOfSeveralMembersAreReadWhole) {
  const Folder folder;
  const std::string text(300000, 'x');
  EXPECT_EQ(documents_of(folder.write("a.gz", gzip("one ") + gzip("") + gzip(text))), Texts{"one " + text});
  EXPECT_EQ(documents_of(folder.write("zeros.txt.gz", gzip("one") + std::string(700, '\0'))), Texts{"one"});
  EXPECT_EQ(documents_of(folder.write("a.dz", gzip("one"))), Texts{"one"});
  EXPECT_EQ(documents_of(folder.write("a.zst", zstd("one ") + zstd(text))), Texts{"one " + text});
}

TEST(Documents, BrokenPackedFilesAreNamed) {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 50000; ++i) {
    text += std::to_string(i * 7919);
  }
  const std::string packed = gzip(text), standard = zstd(text);
  const auto read = [&](const std::string& name, std::string bytes) {
    return test::message_of([&] { documents_of(folder.write(name, bytes)); });
  };
  EXPECT_THAT_SAYS(read("cut.gz", packed.substr(0, packed.size() / 2)), "cut.gz: gzip data ends too early, at byte");
  EXPECT_THAT_SAYS(read("tail.gz", packed.substr(0, packed.size() - 3)), "the file was cut");
  EXPECT_THAT_SAYS(read("empty.gz", ""), "at byte 0: the file was cut");
  EXPECT_THAT_SAYS(read("no.gz", "plain text"), "no.gz: broken gzip data near byte");
  std::string flipped = packed;
  flipped[packed.size() - 6] ^= 1;  // the checksum
  EXPECT_THAT_SAYS(read("flip.gz", flipped), "incorrect data check");
  EXPECT_THAT_SAYS(read("cut.zst", standard.substr(0, standard.size() / 2)), "cut.zst: Zstandard data ends too early, at byte");
  EXPECT_THAT_SAYS(read("empty.zst", ""), "the file was cut");
  EXPECT_THAT_SAYS(read("no.zst", "plain text"), "no.zst: broken Zstandard data near byte");
}

TEST(Documents, AnExpressionCutsText) {
  const Folder folder;
  SourceOptions options;
  options.document_start = "^\\S";
  EXPECT_EQ(documents_of(folder.write("a.txt", "  head\none\n  more\ntwo\n\n  more\nthree"), options),
            (Texts{"  head\n", "one\n  more\n", "two\n\n  more\n", "three"}));
  // Bytes that are no UTF-8 stay, before, in and at the begin of documents.
  EXPECT_EQ(documents_of(folder.write("b.txt", "one \xff\n \xc3\xa9\n\xfe two\n\xc3\xa9 three\xc3"), options),
            (Texts{"one \xff\n \xc3\xa9\n", "\xfe two\n", "\xc3\xa9 three\xc3"}));
  options.document_start = "^";  // empty matches
  EXPECT_EQ(documents_of(folder.write("c.txt", "one\ntwo\n"), options), (Texts{"one\n", "two\n"}));
  options.document_start = "(";
  EXPECT_SAYS(documents_of(folder / "c.txt", options), "regular expression \"(\"");
}

TEST(Documents, CuttingDoesNotDependOnHowTheFileIsRead) {
  const Folder folder;
  SourceOptions options;
  options.document_start = "^\\S";
  Texts expected;
  std::string text;
  std::uint64_t state = 5;
  while (text.size() < (20 << 20)) {  // several times what the reader holds, some documents larger than that
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t lines = (state >> 33) % 200 == 0 ? 150000 : (state >> 40) % 30;
    std::string document = "word\xc3\xa9 " + std::to_string(state) + "\n";
    for (std::uint64_t line = 0; line < lines; ++line) {
      document += "   the definition number " + std::to_string(line) + " \xc3\xa9\xe2\x82\xac\n";
    }
    text += document;
    expected.push_back(std::move(document));
  }
  const auto documents = documents_of(folder.write("a.txt", text), options);
  ASSERT_EQ(documents.size(), expected.size());
  EXPECT_TRUE(documents == expected);
  options.document_start.clear();
  EXPECT_TRUE(documents_of(folder / "a.txt", options) == Texts{text});
}

TEST(Documents, JsonLines) {
  const Folder folder;
  SourceOptions options;
  EXPECT_EQ(documents_of(
                folder.write("a.jsonl", "{\"text\": \"one\\n\\u00e9\"}\r\n\n{\"id\": 2, \"text\": \"\"}\n{\"text\": \"two\"}")),
            (Texts{"one\n\xc3\xa9", "", "two"}));
  EXPECT_EQ(documents_of(folder.write("a.json.gz", gzip("{\"text\": \"one\"}\n"))), Texts{"one"});
  const std::string large(3 << 20, 'x');
  EXPECT_TRUE(documents_of(folder.write("b.jsonl", "{\"text\": \"" + large + "\"}\n{\"text\": \"two\"}\n")) ==
              (Texts{large, "two"}));
  options.text_field = "body";
  EXPECT_EQ(documents_of(folder.write("c.jsonl", "{\"body\": \"one\"}\n"), options), Texts{"one"});
}

TEST(Documents, BrokenJsonLinesAreNamedByLine) {
  const Folder folder;
  const auto read = [&](const std::string& bytes) {
    return test::message_of([&] { documents_of(folder.write("a.jsonl", bytes)); });
  };
  EXPECT_THAT_SAYS(read("{\"text\": \"one\"}\n\n{\"text\": \n"), "a.jsonl:3: no valid JSON");
  EXPECT_THAT_SAYS(read("{\"text\": \"one\"}\n{\"txt\": \"two\", \"id\": 1}\n"),
                   "a.jsonl:2: the object has no field \"text\"; it has \"txt\", \"id\"");
  EXPECT_THAT_SAYS(read("{\"text\": 5}"), "a.jsonl:1: the field \"text\" is no string");
  EXPECT_THAT_SAYS(read("[\"text\"]"), "a.jsonl:1: expected a JSON object");
  EXPECT_THAT_SAYS(read("{\"text\": \"\xff\"}"), "a.jsonl:1: no valid JSON");
  EXPECT_THAT_SAYS(read(std::string("{\"text\": \"one\"}\n\0\0", 18)), "a.jsonl:2: no valid JSON");
}

std::vector<std::string> names_of(SourceOptions options, const Folder& folder) {
  std::vector<std::string> names;
  for (const SourceFile& file : find_sources(options)) {
    names.push_back(std::filesystem::relative(file.path, folder.path()).string());
  }
  return names;
}

TEST(Sources, FoldersAndPatternsComeSorted) {
  const Folder folder;
  for (const char* name : {"b.txt", "a.txt", "sub/c.txt", ".hidden", ".git/x.txt", "d.jsonl"}) {
    folder.write(name, "x");
  }
  EXPECT_EQ(names_of({.paths = {folder.path().string()}}, folder), (Texts{"a.txt", "b.txt", "d.jsonl", "sub/c.txt"}));
  EXPECT_EQ(names_of({.paths = {folder / "*.txt"}}, folder), (Texts{"a.txt", "b.txt"}));
  EXPECT_EQ(names_of({.paths = {folder / "[ad].*", folder / "b.txt"}}, folder), (Texts{"a.txt", "d.jsonl", "b.txt"}));
  folder.write("e[1].txt", "x");
  EXPECT_EQ(names_of({.paths = {folder / "e[1].txt"}}, folder), Texts{"e[1].txt"}) << "a name that is there is no pattern";
}

TEST(Sources, WrongPathsAreNamed) {
  const Folder folder;
  folder.write("a.txt", "x");
  folder.write("b.bin", "x");
  folder.write("c.parquet", "x");
  folder.write("d.bin.gz", "x");
  make_folder(folder / "empty");
  const auto find = [&](std::vector<std::string> paths) { return test::message_of([&] { find_sources({.paths = paths}); }); };
  EXPECT_THAT_SAYS(find({}), "the data set has no path");
  EXPECT_THAT_SAYS(find({folder / "none.txt"}), "none.txt: no such file or folder");
  EXPECT_THAT_SAYS(find({folder / "*.csv"}), "*.csv: no such file or folder, and no pattern that gives one");
  EXPECT_THAT_SAYS(find({folder / "empty"}), "the folder has no file");
  EXPECT_THAT_SAYS(find({folder / "a.txt", folder / "b.bin"}), "one data set is made of one or the other");
  EXPECT_THAT_SAYS(find({folder / "c.parquet"}), ".parquet files are not read");
  EXPECT_THAT_SAYS(find({folder / "d.bin.gz"}), "must be unpacked first");
}

}  // namespace
}  // namespace rhea
