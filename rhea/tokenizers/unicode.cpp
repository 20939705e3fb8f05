#include "rhea/tokenizers/unicode.h"

#include "rhea/core/error.h"
#include "rhea/tokenizers/unicode_tables.h"
#include "rhea/tokenizers/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace rhea {
namespace {

utf8proc_category_t category(std::int32_t code) {
  return code < 0 ? UTF8PROC_CATEGORY_CN : utf8proc_category(code);
}

bool is_in(std::span<const unicode_tables::Range> ranges, std::int32_t code) {
  const auto behind = std::upper_bound(ranges.begin(), ranges.end(), code,
                                       [](std::int32_t c, const unicode_tables::Range& range) { return c < range.first; });
  return behind != ranges.begin() && code <= std::prev(behind)->last;
}

int options_of(NormalForm form) {
  switch (form) {
    case NormalForm::kNfc: return UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    case NormalForm::kNfd: return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
    case NormalForm::kNfkc: return UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
    case NormalForm::kNfkd: return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
  }
  return 0;
}

void append_valid_in_normal_form(NormalForm form, std::string_view valid, std::string& out) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(valid.data());
  const auto options = static_cast<utf8proc_option_t>(options_of(form));
  const utf8proc_ssize_t length = utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(valid.size()), &mapped, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (length < 0) {
    fail("Unicode normalisation of {} bytes of text failed: {}", valid.size(), utf8proc_errmsg(length));
  }
  out.append(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
}

// The library knows Unicode 17, utf8proc in Debian 14 to 15.1.
std::optional<std::int32_t> lower_case_since_unicode_15(std::int32_t code) {
  constexpr std::pair<std::int32_t, std::int32_t> kSingle[] = {{0x1C89, 0x1C8A}, {0xA7CB, 0x264},  {0xA7CC, 0xA7CD},
                                                               {0xA7CE, 0xA7CF}, {0xA7D2, 0xA7D3}, {0xA7D4, 0xA7D5},
                                                               {0xA7DA, 0xA7DB}, {0xA7DC, 0x19B}};
  for (const auto& [upper, lower] : kSingle) {
    if (code == upper) {
      return lower;
    }
  }
  if (code >= 0x10D50 && code <= 0x10D65) {  // Garay
    return code + 0x20;
  }
  if (code >= 0x16EA0 && code <= 0x16EB8) {  // Beria Erfe
    return code + 0x1B;
  }
  return std::nullopt;
}

}  // namespace

Character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) {
    return {text.substr(0, 1), first};
  }
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (valid_utf8_prefix(text.substr(0, length)) != length) {
    return {text.substr(0, 1), -1};
  }
  std::int32_t code = first & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  return {text.substr(0, length), code};
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for_each_character(text, [&](const Character&) { ++count; });
  return count;
}

bool is_white_space(std::int32_t code) {
  if (code < 0x80) {
    return code == ' ' || (code >= '\t' && code <= '\r');
  }
  const auto kind = category(code);
  return code == 0x85 || kind == UTF8PROC_CATEGORY_ZS || kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP;
}

bool is_punctuation(std::int32_t code) {
  return is_in(unicode_tables::kPunctuation, code);
}
bool is_numeric(std::int32_t code) {
  return is_in(unicode_tables::kNumeric, code);
}
bool is_mark(std::int32_t code) {
  return is_in(unicode_tables::kMark, code);
}
bool is_nonspacing_mark(std::int32_t code) {
  return is_in(unicode_tables::kNonspacingMark, code);
}
bool is_control(std::int32_t code) {
  return is_in(unicode_tables::kControl, code);
}

bool is_word_character(std::int32_t code) {
  const auto between = [code](std::int32_t first, std::int32_t last) { return code >= first && code <= last; };
  const auto kind = category(code);
  const bool letter_or_mark = kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_ME;
  const bool number = kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_NL;
  // Letters in circles and squares are alphabetic too, though their category says symbol.
  const bool enclosed_letter =
      between(0x24B6, 0x24E9) || between(0x1F130, 0x1F149) || between(0x1F150, 0x1F169) || between(0x1F170, 0x1F189);
  return letter_or_mark || number || kind == UTF8PROC_CATEGORY_PC || between(0x200C, 0x200D) || enclosed_letter;
}

bool is_cjk_ideograph(std::int32_t code) {
  const auto between = [code](std::int32_t first, std::int32_t last) { return code >= first && code <= last; };
  return between(0x4E00, 0x9FFF) || between(0x3400, 0x4DBF) || between(0x20000, 0x2A6DF) || between(0x2A700, 0x2B73F) ||
         between(0x2B740, 0x2B81F) || between(0x2B920, 0x2CEAF) || between(0xF900, 0xFAFF) || between(0x2F800, 0x2FA1F);
}

void append_utf8(std::int32_t code, std::string& out) {
  std::uint8_t bytes[4];
  const auto length = utf8proc_encode_char(code, bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

void append_lower_case(std::int32_t code, std::string& out) {
  constexpr std::int32_t kDottedCapitalI = 0x130;
  if (code == kDottedCapitalI) {  // the only one that becomes two characters
    out += "i\xcc\x87";
    return;
  }
  append_utf8(lower_case_since_unicode_15(code).value_or(utf8proc_tolower(code)), out);
}

void append_normal_form(NormalForm form, std::string_view text, std::string& out) {
  const bool compatible = form == NormalForm::kNfkc || form == NormalForm::kNfkd;
  const std::span<const unicode_tables::Range> kept =
      compatible ? std::span<const unicode_tables::Range>(unicode_tables::kKeptByNfkd) : unicode_tables::kKeptByNfd;
  std::size_t done = 0, at = 0;
  const auto flush = [&] {
    if (at > done) {
      append_valid_in_normal_form(form, text.substr(done, at - done), out);
    }
  };
  for_each_character(text, [&](const Character& character) {
    if (character.code < 0 || is_in(kept, character.code)) {
      flush();
      out += character.bytes;
      done = at + character.bytes.size();
    }
    at += character.bytes.size();
  });
  flush();
}

}  // namespace rhea
