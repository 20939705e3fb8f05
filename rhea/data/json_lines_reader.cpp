#include "rhea/data/json_lines_reader.h"

#include "rhea/core/error.h"

#include <algorithm>

namespace rhea {

JsonLinesReader::JsonLinesReader(const SourceFile& file, std::string field)
    : path_(file.path.string()),
      field_(std::move(field)),
      stream_(open_byte_stream(file.path)),
      buffer_(std::size_t{256} << 10, '\0') {}

bool JsonLinesReader::next_line() {
  constexpr std::size_t kLongestLine = std::size_t{1} << 30;
  line_.clear();
  ++line_number_;
  while (true) {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = stream_->read(buffer_);
      if (end_ == 0) {
        return !line_.empty();
      }
    }
    const std::size_t newline = buffer_.find('\n', begin_);
    const bool complete = newline < end_;
    const std::size_t stop = complete ? newline : end_;
    line_.append(buffer_, begin_, stop - begin_);
    begin_ = complete ? stop + 1 : stop;
    if (line_.size() > kLongestLine) {
      fail("{}:{}: the line is longer than {} bytes: is this one JSON object a line?", path_, line_number_, kLongestLine);
    }
    if (complete) {
      return true;
    }
  }
}

std::string_view JsonLinesReader::text_of(simdjson::dom::element value) const {
  simdjson::dom::object object;
  if (value.get(object)) {
    fail("{}:{}: expected a JSON object with the field \"{}\"", path_, line_number_, field_);
  }
  std::string_view text;
  const auto found = object[field_];
  if (found.error()) {
    std::string fields;
    for (const auto member : object) {
      fields += fmt::format("{}\"{}\"", fields.empty() ? "" : ", ", member.key);
    }
    fail("{}:{}: the object has no field \"{}\"; it has {}", path_, line_number_, field_, fields.empty() ? "none" : fields);
  }
  if (found.value_unsafe().get(text)) {
    fail("{}:{}: the field \"{}\" is no string", path_, line_number_, field_);
  }
  return text;
}

bool JsonLinesReader::next(DocumentPart& part) {
  do {
    if (!next_line()) {
      return false;
    }
  } while (line_.find_first_not_of(" \t\r") == std::string::npos);
  line_.reserve(line_.size() + simdjson::SIMDJSON_PADDING);
  simdjson::dom::element value;
  if (const auto error = parser_.parse(line_).get(value)) {
    fail("{}:{}: no valid JSON: {}", path_, line_number_, simdjson::error_message(error));
  }
  part.text = text_of(value);
  part.ends_document = true;
  return true;
}

}  // namespace rhea
