#include "rhea/tokenizers/byte_level.h"

#include <array>

namespace rhea {
namespace {

struct Spelling {
  std::array<std::uint16_t, 256> of_byte{};
  std::array<std::int16_t, 0x144> byte_of{};  // -1: no byte
};

constexpr Spelling make_spelling() {
  Spelling spelling;
  spelling.byte_of.fill(-1);
  std::uint16_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    const auto code = static_cast<std::uint16_t>(printable ? byte : next++);
    spelling.of_byte[byte] = code;
    spelling.byte_of[code] = static_cast<std::int16_t>(byte);
  }
  return spelling;
}

constexpr Spelling kSpelling = make_spelling();

}  // namespace

std::uint32_t spelling_of(unsigned char byte) {
  return kSpelling.of_byte[byte];
}

std::string spell_bytes(std::string_view bytes) {
  std::string spelled;
  spelled.reserve(bytes.size() + bytes.size() / 4);
  for (const char c : bytes) {
    const unsigned code = kSpelling.of_byte[static_cast<unsigned char>(c)];
    if (code < 0x80) {
      spelled += static_cast<char>(code);
    } else {  // all are below U+0800: two bytes of UTF-8
      spelled += static_cast<char>(0xC0 | (code >> 6));
      spelled += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return spelled;
}

namespace {

bool unspell(std::string_view spelled, std::string& bytes) {
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    unsigned code = static_cast<unsigned char>(spelled[i]);
    if (code >= 0x80) {
      if ((code & 0xE0) != 0xC0 || i + 1 == spelled.size()) {
        return false;
      }
      code = ((code & 0x1F) << 6) | (static_cast<unsigned char>(spelled[++i]) & 0x3F);
    }
    if (code >= kSpelling.byte_of.size() || kSpelling.byte_of[code] < 0) {
      return false;
    }
    bytes += static_cast<char>(kSpelling.byte_of[code]);
  }
  return true;
}

}  // namespace

std::optional<std::string> unspell_bytes(std::string_view spelled) {
  std::string bytes;
  return unspell(spelled, bytes) ? std::optional(std::move(bytes)) : std::nullopt;
}

void append_unspelled(std::string_view spelled, std::string& bytes) {
  const std::size_t before = bytes.size();
  if (!unspell(spelled, bytes)) {
    bytes.resize(before);
    bytes += spelled;
  }
}

}  // namespace rhea
