// The documents of text and JSONL files, one after the other.
//
// Memory: a part of a document (about 4 MB) of a text file, a line of a JSONL file (at most 1 GB). One thread at a time.
#pragma once

#include "rhea/data/sources.h"

#include <memory>
#include <span>
#include <string>

namespace rhea {

// A document, or a part of one that is too large to be held in memory: parts end before a line that begins with a
// letter where they can, because the usual patterns of tokenizers cut there too.
struct DocumentPart {
  std::string text;
  bool ends_document = true;
};

class DocumentReader {
 public:
  virtual ~DocumentReader() = default;
  // False when there is nothing left. Throws Error with file and line (or byte).
  virtual bool next(DocumentPart& part) = 0;
};

// Passes over documents, or to the end if there are fewer.
void skip_documents(DocumentReader& reader, std::int64_t count);

// The documents of one file of kind kText or kJsonLines.
std::unique_ptr<DocumentReader> open_documents(const SourceFile& file, const SourceOptions& options);

// The documents of all files in order.
std::unique_ptr<DocumentReader> open_documents(std::span<const SourceFile> files, const SourceOptions& options);

}  // namespace rhea
