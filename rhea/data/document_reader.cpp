#include "rhea/data/document_reader.h"

#include "rhea/data/json_lines_reader.h"
#include "rhea/data/text_reader.h"

#include <vector>

namespace rhea {
namespace {

class FilesReader : public DocumentReader {
 public:
  FilesReader(std::span<const SourceFile> files, const SourceOptions& options)
      : files_(files.begin(), files.end()), options_(options) {}

  bool next(DocumentPart& part) override {
    while (reader_ == nullptr || !reader_->next(part)) {
      if (opened_ == files_.size()) {
        return false;
      }
      reader_ = open_documents(files_[opened_++], options_);
    }
    return true;
  }

 private:
  std::vector<SourceFile> files_;
  SourceOptions options_;
  std::size_t opened_ = 0;
  std::unique_ptr<DocumentReader> reader_;
};

}  // namespace

void skip_documents(DocumentReader& reader, std::int64_t count) {
  DocumentPart part;
  while (count > 0 && reader.next(part)) {
    count -= part.ends_document ? 1 : 0;
  }
}

std::unique_ptr<DocumentReader> open_documents(const SourceFile& file, const SourceOptions& options) {
  if (file.kind == SourceKind::kJsonLines) {
    return std::make_unique<JsonLinesReader>(file, options.text_field);
  }
  return std::make_unique<TextReader>(file, options.document_start);
}

std::unique_ptr<DocumentReader> open_documents(std::span<const SourceFile> files, const SourceOptions& options) {
  return std::make_unique<FilesReader>(files, options);
}

}  // namespace rhea
