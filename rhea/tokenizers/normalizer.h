// First stage: the text's Unicode form.
#pragma once

#include <string>
#include <string_view>

namespace rhea {

enum class Normalizer { kNone, kNfc };

// The normalised text; `storage` keeps it if it is not the text itself. Bytes that are no UTF-8 stay as they are.
std::string_view normalize(Normalizer normalizer, std::string_view text, std::string& storage);

}  // namespace rhea
