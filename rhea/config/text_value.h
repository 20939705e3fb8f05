// Values as text: what is written on the command line, and TOML.
#pragma once

#include "rhea/config/key_table.h"

#include <string>
#include <string_view>

namespace rhea {

// Reads text as the field's type asks. Text that is no such value comes back as text, for KeyTable::set to refuse.
// Lists are written a,b or [a, b]; an empty text or [] is an empty list.
Value value_from_text(std::string_view text, const Field& field);

// UTF-8 without zero bytes: what fits into a TOML file, and into a path.
bool is_plain_text(std::string_view text);

// A TOML basic string with all that needs it escaped.
std::string quote_toml(std::string_view text);

}  // namespace rhea
