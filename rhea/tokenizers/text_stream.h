// Decoded tokens as text that may be shown while it grows: always valid UTF-8.
//
// A character may be spread over several tokens: its first bytes are held back until the rest is there. Bytes that can
// never become a character come out as U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace rhea {

class TextStream {
 public:
  // The text that these bytes complete; may be empty.
  std::string push(std::string_view bytes);
  // What was held back, as U+FFFD.
  std::string finish();

 private:
  std::string held_;  // the begin of a character, at most 3 bytes
};

}  // namespace rhea
