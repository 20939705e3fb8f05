// Writes a corpus as shards of token ids in llm.c's format (shard_format.h), in a folder: tokens_000000.bin, ...
//
// The folder is what dataset.path names: .shards.json is hidden from it.
// Each document stands behind a separator token, as llm.c writes them. A shard ends with the document that fills it. A
// shard is complete or not there, and .shards.json beside them says what they hold; so a writer for the same work
// goes on behind the last complete shard, and its caller skips documents_done() documents.
//
//   ShardWriter writer({.folder = "shards", .vocab_size = 50257, .separator = 50256, .work = "what is encoded, with what"});
//   skip(documents, writer.documents_done());
//   encode_corpus(documents, tokenizer, writer, threads);
//   writer.close();
#pragma once

#include "rhea/core/files.h"
#include "rhea/data/token_writer.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rhea {

struct ShardOptions {
  std::filesystem::path folder;
  std::int64_t vocab_size = 0;  // up to 65,536 ids are written as uint16, else as uint32
  std::int32_t separator = 0;
  std::int64_t tokens_per_shard = 100'000'000;
  std::string work;  // whatever the ids depend on: shards of other work in the folder are refused
};

class ShardWriter : public TokenWriter {
 public:
  // Makes the folder if it is not there. Throws UsageError if it holds shards of other work or is already complete,
  // Error if .shards.json is broken.
  explicit ShardWriter(ShardOptions options);

  std::int64_t documents_done() const { return total_.documents; }

  // Throws Error when a document has more tokens than a shard's header can say (2^31 - 1).
  void append(std::span<const std::int32_t> ids) override;
  void end_document() override;
  // Completes the last shard. Nothing of it counts as written before.
  void close();

  std::int64_t num_tokens() const { return total_.tokens; }  // separators included, in complete shards
  std::int64_t num_documents() const { return total_.documents; }
  std::int64_t num_shards() const { return total_.shards; }

 private:
  struct Counts {
    std::int64_t shards = 0, documents = 0, tokens = 0;
  };

  void load_progress();
  void save_progress(bool complete) const;
  void open_shard();
  void close_shard();
  void write_ids(std::span<const std::int32_t> ids);

  ShardOptions options_;
  Counts total_;    // in complete shards
  Counts current_;  // in the open one
  bool in_document_ = false;
  std::optional<FileWriter> file_;
  std::vector<std::uint16_t> narrow_;
};

}  // namespace rhea
