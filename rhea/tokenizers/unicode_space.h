// \s as Unicode and Hugging Face's engine (Oniguruma) understand it.
#pragma once

#include <string>
#include <string_view>

namespace rhea {

// The PCRE2 pattern with each \s and \S written out as White_Space. PCRE2's own \s also has U+180E, which is no space
// since Unicode 6.3; tokenizers would cut Mongolian text elsewhere. \S inside a class stays PCRE2's.
std::string write_out_spaces(std::string_view pattern);

}  // namespace rhea
