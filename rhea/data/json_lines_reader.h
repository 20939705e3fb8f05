// Documents of a JSONL file: see sources.h.
#pragma once

#include "rhea/data/byte_stream.h"
#include "rhea/data/document_reader.h"

#include <simdjson.h>

namespace rhea {

class JsonLinesReader : public DocumentReader {
 public:
  JsonLinesReader(const SourceFile& file, std::string field);
  bool next(DocumentPart& part) override;

 private:
  bool next_line();
  std::string_view text_of(simdjson::dom::element value) const;

  std::string path_, field_;
  std::unique_ptr<ByteStream> stream_;
  std::string buffer_, line_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t line_number_ = 0;
  simdjson::dom::parser parser_;
};

}  // namespace rhea
