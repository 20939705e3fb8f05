#include "rhea/data/shard_writer.h"

#include "rhea/data/token_file.h"
#include "tests/unit/data/fixtures.h"

#include <fmt/format.h>

#include <numeric>

namespace rhea {
namespace {

using test::Folder;
using Documents = std::vector<std::vector<std::int32_t>>;

constexpr std::int32_t kSeparator = 1;

ShardOptions options_for(const Folder& folder, std::int64_t vocab_size) {
  return {.folder = folder / "shards", .vocab_size = vocab_size, .separator = kSeparator, .tokens_per_shard = 10, .work = "test"};
}

void write(ShardWriter& writer, const Documents& documents, std::size_t first = 0) {
  for (std::size_t i = first; i < documents.size(); ++i) {
    writer.append(documents[i]);
    writer.end_document();
  }
}

// All documents of the shards, without separators.
Documents read(const Folder& folder, std::int64_t shards) {
  Documents documents;
  for (std::int64_t shard = 0; shard < shards; ++shard) {
    const auto file = TokenFile::open_shard(folder / fmt::format("shards/tokens_{:06}.bin", shard), {&kSeparator, 1});
    for (std::int64_t i = 0; i < file->num_documents(); ++i) {
      std::vector<std::int64_t> ids(static_cast<std::size_t>(file->length(i)));
      file->tokens(i).copy(0, ids);
      documents.emplace_back(ids.begin(), ids.end());
    }
  }
  return documents;
}

Documents some_documents(std::int32_t largest) {
  Documents documents;
  for (std::int32_t i = 0; i < 20; ++i) {
    documents.emplace_back(static_cast<std::size_t>(1 + i * 7 % 12), largest - i);
  }
  return documents;
}

TEST(ShardWriter, WhatIsWrittenIsRead) {
  for (const std::int32_t vocab_size : {65536, 65537}) {
    const Folder folder;
    const Documents documents = some_documents(vocab_size - 1);
    ShardWriter writer(options_for(folder, vocab_size));
    write(writer, documents);
    writer.close();
    EXPECT_EQ(writer.num_documents(), 20);
    EXPECT_GT(writer.num_shards(), 5);
    EXPECT_EQ(read(folder, writer.num_shards()), documents);
  }
}

TEST(ShardWriter, GoesOnBehindTheLastCompleteShard) {
  const Documents documents = some_documents(1000);
  const Folder whole_folder;
  ShardWriter whole(options_for(whole_folder, 1001));
  write(whole, documents);
  whole.close();
  for (std::size_t killed_after = 0; killed_after < documents.size(); ++killed_after) {
    const Folder folder;
    {
      ShardWriter writer(options_for(folder, 1001));
      write(writer, Documents(documents.begin(), documents.begin() + static_cast<std::ptrdiff_t>(killed_after)));
      writer.append(documents[killed_after]);  // in the middle of a document
    }
    ShardWriter writer(options_for(folder, 1001));
    EXPECT_LE(writer.documents_done(), static_cast<std::int64_t>(killed_after));
    write(writer, documents, static_cast<std::size_t>(writer.documents_done()));
    writer.close();
    EXPECT_EQ(writer.num_tokens(), whole.num_tokens());
    EXPECT_EQ(read(folder, writer.num_shards()), documents);
  }
}

TEST(ShardWriter, EmptyDocumentsAreCountedSoThatResumingSkipsTheRightOnes) {
  const Folder folder;
  ShardWriter writer(options_for(folder, 100));
  write(writer, {{}, {5, 6}, {}});
  writer.close();
  EXPECT_EQ(writer.num_documents(), 3);
  EXPECT_EQ(read(folder, 1), (Documents{{5, 6}}));
}

TEST(ShardWriter, OtherWorkInTheFolderIsRefused) {
  const Folder folder;
  ShardWriter writer(options_for(folder, 100));
  write(writer, {{5}});
  writer.close();
  EXPECT_SAYS(ShardWriter{options_for(folder, 100)}, "the shards are complete");
  ShardOptions other = options_for(folder, 100);
  other.work = "other";
  EXPECT_SAYS(ShardWriter{other}, ".shards.json: the shards are of other texts");
  folder.write("shards/.shards.json", "{");
  EXPECT_SAYS(ShardWriter{options_for(folder, 100)}, ".shards.json: no JSON object");
  std::filesystem::remove(folder / "shards/.shards.json");
  EXPECT_SAYS(ShardWriter{options_for(folder, 100)}, "there are shards already, but no .shards.json");
}

}  // namespace
}  // namespace rhea
