#include "rhea/tokenizers/utf8.h"

#include <simdjson.h>

namespace rhea {
namespace {

// Bytes of the valid character at the front, 0 if there is none. Table 3-7 of the Unicode standard.
std::size_t character_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) -> unsigned { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0; };
  const auto within = [&](std::size_t i, unsigned low, unsigned high) { return byte(i) >= low && byte(i) <= high; };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return bytes.empty() ? 0 : 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return within(1, 0x80, 0xBF) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
    return within(1, low, high) && within(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
    return within(1, low, high) && within(2, 0x80, 0xBF) && within(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view bytes) {
  if (bytes.size() >= 64 && simdjson::validate_utf8(bytes.data(), bytes.size())) {
    return bytes.size();
  }
  std::size_t length = 0;
  while (length < bytes.size()) {
    const std::size_t next = character_length(bytes.substr(length));
    if (next == 0) {
      break;
    }
    length += next;
  }
  return length;
}

}  // namespace rhea
