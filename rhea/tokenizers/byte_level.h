// GPT-2's way of spelling any byte as a printable character, so that a vocabulary of bytes can be written as text:
// "!".."~", "¡".."¬" and "®".."ÿ" stand for themselves, the 68 others become U+0100, U+0101, ... in order of their value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rhea {

// The bytes as they are spelled in a vocabulary: " the" -> "Ġthe".
std::string spell_bytes(std::string_view bytes);

// The way back; nothing if the text has a character that stands for no byte.
std::optional<std::string> unspell_bytes(std::string_view spelled);

// The same, appended to `bytes`; a text with a character that stands for no byte is appended as it is.
void append_unspelled(std::string_view spelled, std::string& bytes);

// The code point that stands for a byte.
std::uint32_t spelling_of(unsigned char byte);

}  // namespace rhea
