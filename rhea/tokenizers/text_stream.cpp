#include "rhea/tokenizers/text_stream.h"

#include "rhea/tokenizers/utf8.h"

#include <utility>

namespace rhea {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes of the character that begins with `lead`; 0 where none does.
std::size_t character_length(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) {
    return 2;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    return 3;
  }
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

bool may_become_a_character(std::string_view bytes) {
  if (bytes.size() >= character_length(static_cast<unsigned char>(bytes[0]))) {
    return false;
  }
  for (const char byte : bytes.substr(1)) {
    if ((static_cast<unsigned char>(byte) & 0xC0) != 0x80) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string TextStream::push(std::string_view bytes) {
  const std::string text = std::exchange(held_, {}) + std::string(bytes);
  std::string_view rest = text;
  std::string shown;
  while (!rest.empty()) {
    const std::size_t valid = valid_utf8_prefix(rest);
    shown += rest.substr(0, valid);
    rest.remove_prefix(valid);
    if (rest.empty()) {
      break;
    }
    if (may_become_a_character(rest)) {
      held_ = rest;
      break;
    }
    shown += kReplacement;
    rest.remove_prefix(1);
  }
  return shown;
}

std::string TextStream::finish() {
  std::string shown;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    shown += kReplacement;
  }
  held_.clear();
  return shown;
}

}  // namespace rhea
