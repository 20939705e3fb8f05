#include "rhea/data/text_reader.h"

#include "rhea/core/error.h"
#include "rhea/tokenizers/utf8.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace rhea {
namespace {

constexpr char kReplacement = '\x1A';  // ASCII's SUBSTITUTE: no letter, no space

void replace_invalid(std::string_view text, std::string& readable) {
  readable.clear();
  for_each_utf8_run(text, [&](std::string_view run, bool valid) {
    if (valid) {
      readable += run;
    } else {
      readable.append(run.size(), kReplacement);
    }
  });
}

// A zero byte near the beginning, as git tells binary files from text. Broken UTF-8 is no such sign: old texts have some.
void check_is_text(std::string_view beginning, const std::string& path) {
  constexpr std::size_t kLooked = 8000;
  if (const std::size_t zero = beginning.substr(0, kLooked).find('\0'); zero != std::string_view::npos) {
    fail_usage("{}: no text: byte {} is zero (UTF-16 must be converted to UTF-8 first; name the text files, or a pattern)", path,
               zero);
  }
}

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

}  // namespace

TextReader::TextReader(const SourceFile& file, const std::string& document_start) : stream_(open_byte_stream(file.path)) {
  if (!document_start.empty()) {
    compile(document_start);
  }
  fill();
  check_is_text(buffer_, file.path.string());
}

void TextReader::compile(const std::string& document_start) {
  try {
    pattern_.emplace(document_start, Regex::Lines::kMultiline);
  } catch (const Error& error) {
    fail_usage("dataset.document_start: {}", error.what());
  }
  matcher_.emplace(*pattern_);
}

// Drops what was given out, but for a margin that ^ and look-behinds may look at, and reads on until there is a part's
// worth.
void TextReader::fill() {
  constexpr std::size_t kWanted = kLargestPart + 2 * kMargin;
  if (ended_ || buffer_.size() - begin_ >= kWanted) {
    return;
  }
  const std::size_t dropped = begin_ - std::min(begin_, kMargin);
  buffer_.erase(0, dropped);
  searched_ -= std::min(searched_, dropped);
  begin_ -= dropped;
  std::size_t size = buffer_.size();
  buffer_.resize(2 * kWanted);
  while (!ended_ && size < buffer_.size()) {
    const std::size_t count = stream_->read(std::span(buffer_).subspan(size));
    ended_ = count == 0;
    size += count;
  }
  buffer_.resize(size);
  if (pattern_) {
    replace_invalid(buffer_, readable_);
  }
}

// Where the next document begins, if that can be said already.
std::optional<std::size_t> TextReader::find_start() {
  if (!pattern_) {
    return std::nullopt;
  }
  const std::size_t sure = ended_ ? buffer_.size() : buffer_.size() - std::min(buffer_.size(), kMargin);
  // A part that continues a document may be followed at once by the next document, a new one not.
  std::size_t from = std::max(searched_, document_open_ ? begin_ : begin_ + 1);
  while (from < readable_.size() && !begins_character(readable_[from])) {
    ++from;
  }
  while (from < sure) {
    const auto match = matcher_->find(readable_, from);
    if (!match || match->begin >= sure) {
      break;
    }
    if (match->begin >= from) {
      return match->begin;
    }
    ++from;  // \K can move a match's begin back
  }
  searched_ = std::max(begin_, sure);
  while (searched_ > begin_ && searched_ < readable_.size() && !begins_character(readable_[searched_])) {
    --searched_;
  }
  return std::nullopt;
}

// Where to cut a document that is too large for one part.
std::size_t TextReader::part_end() const {
  const std::size_t last = begin_ + kLargestPart;
  for (std::size_t i = last; i > begin_ + kLargestPart / 2; --i) {
    if (buffer_[i - 1] == '\n' && std::isalpha(static_cast<unsigned char>(buffer_[i])) != 0) {
      return i;
    }
  }
  std::size_t end = last;
  while (end > last - 4 && !begins_character(buffer_[end])) {
    --end;
  }
  return end;
}

bool TextReader::next(DocumentPart& part) {
  fill();
  if (begin_ == buffer_.size()) {
    part = {{}, true};
    return std::exchange(document_open_, false);
  }
  const auto start = find_start();
  std::size_t end = start.value_or(buffer_.size());
  part.ends_document = start.has_value() || ended_;
  if (end - begin_ > kLargestPart) {
    end = part_end();
    part.ends_document = false;
  } else if (!part.ends_document) {
    end = part_end();  // fill() leaves more than a part's worth
  }
  part.text.assign(buffer_, begin_, end - begin_);
  begin_ = end;
  document_open_ = !part.ends_document;
  return true;
}

}  // namespace rhea
