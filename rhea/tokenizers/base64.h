#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rhea {

// The bytes that the text spells (RFC 4648, padding may be missing); nothing if it is no base64.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace rhea
