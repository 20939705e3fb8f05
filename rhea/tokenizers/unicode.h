// Characters of UTF-8 text and what Unicode says of them, as Hugging Face's library asks it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rhea {

struct Character {
  std::string_view bytes;
  std::int32_t code = -1;  // -1: a byte that is no UTF-8
};

// The first character of text that is not empty.
Character first_character(std::string_view text);

// Calls each(Character) for all of them, in order.
template <class Each>
void for_each_character(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const Character character = first_character(text);
    each(character);
    text.remove_prefix(character.bytes.size());
  }
}

std::size_t count_characters(std::string_view text);

// False for a byte that is no UTF-8. What is punctuation and so on is what the library takes for it: unicode_tables.h.
bool is_white_space(std::int32_t code);  // the property White_Space
bool is_punctuation(std::int32_t code);
bool is_numeric(std::int32_t code);
bool is_mark(std::int32_t code);
bool is_nonspacing_mark(std::int32_t code);
bool is_control(std::int32_t code);         // but for tab and line ends
bool is_word_character(std::int32_t code);  // \w of a regular expression: letters, marks, digits, _ and the like
bool is_cjk_ideograph(std::int32_t code);   // as BERT has it: Han only, no kana, no Hangul

void append_utf8(std::int32_t code, std::string& out);
void append_lower_case(std::int32_t code, std::string& out);  // may be two characters

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };
// Appends the text in the normal form; bytes that are no UTF-8 stay as they are.
void append_normal_form(NormalForm form, std::string_view text, std::string& out);

}  // namespace rhea
