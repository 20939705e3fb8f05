// Which files a data set consists of, and the documents in them.
//
// A path is a file, a folder (its files, and those of folders in it) or a pattern with * ? [ ]; names come sorted, so
// that the order of documents is the same on every machine. What a file holds is told by its name:
//
//   .jsonl .ndjson .json   one JSON object a line, the document is its field `text_field`
//   .bin                   llm.c shard of token ids (token_file.h), its documents are what lies between the tokenizer's BOS
//                          and EOS tokens; not mixed with text in one data set
//   anything else          text; the whole file is one document, or many with `document_start`
//
// with .gz, .dz (gzip) or .zst (Zstandard) behind it for text and JSONL, unpacked while reading.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rhea {

struct SourceOptions {
  std::vector<std::string> paths = {};
  // Of JSONL: the name of the field that holds the document.
  std::string text_field = "text";
  // Of text: a multiline PCRE2 expression; a document begins at each match ("^\\S" for WordNet).
  std::string document_start = {};
};

enum class SourceKind { kText, kJsonLines, kTokenShard };

struct SourceFile {
  std::filesystem::path path;
  SourceKind kind = SourceKind::kText;
  std::uint64_t size = 0;     // bytes on disk
  std::int64_t modified = 0;  // nanoseconds, of the file's clock
};

// The files, sorted path by path. Throws UsageError for a path that is missing or gives no file, and for a mixture of
// text and shards.
std::vector<SourceFile> find_sources(const SourceOptions& options);

}  // namespace rhea
