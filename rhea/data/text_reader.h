// Documents of a text file: see sources.h.
#pragma once

#include "rhea/data/byte_stream.h"
#include "rhea/data/document_reader.h"
#include "rhea/tokenizers/regex.h"

#include <optional>

namespace rhea {

class TextReader : public DocumentReader {
 public:
  TextReader(const SourceFile& file, const std::string& document_start);
  bool next(DocumentPart& part) override;

 private:
  static constexpr std::size_t kLargestPart = std::size_t{4} << 20;
  // A match this near to what was read last might look different with more text: it is looked at again.
  static constexpr std::size_t kMargin = std::size_t{4} << 10;

  void compile(const std::string& document_start);
  void fill();
  std::optional<std::size_t> find_start();
  std::size_t part_end() const;

  std::unique_ptr<ByteStream> stream_;
  std::optional<Regex> pattern_;
  std::optional<Regex::Matcher> matcher_;
  std::string buffer_;    // bytes that were read and not given out, from begin_
  std::string readable_;  // buffer_ for the pattern: bytes that are no UTF-8 replaced, same length
  std::size_t begin_ = 0;
  std::size_t searched_ = 0;    // up to where there is no document's start
  bool document_open_ = false;  // the last part did not end its document
  bool ended_ = false;          // the stream has
};

}  // namespace rhea
