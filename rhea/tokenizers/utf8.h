// Cuts bytes into runs of valid UTF-8 and the bytes between them.
#pragma once

#include <cstddef>
#include <string_view>

namespace rhea {

// Length of the longest prefix that is valid UTF-8 (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF).
std::size_t valid_utf8_prefix(std::string_view bytes);

// Calls piece(run, is_valid) for each maximal valid run and each maximal run of bytes that belong to none.
template <class Piece>
void for_each_utf8_run(std::string_view bytes, const Piece& piece) {
  while (!bytes.empty()) {
    std::size_t length = valid_utf8_prefix(bytes);
    const bool valid = length > 0;
    while (!valid && length < bytes.size() && valid_utf8_prefix(bytes.substr(length, 4)) == 0) {
      ++length;
    }
    piece(bytes.substr(0, length), valid);
    bytes.remove_prefix(length);
  }
}

}  // namespace rhea
