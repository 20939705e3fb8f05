#include "rhea/config/config_text.h"

#include "rhea/config/text_value.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"

#include <algorithm>
#include <string_view>

namespace rhea {

std::string read_config_text(const std::filesystem::path& path) {
  constexpr std::uint64_t kLargest = 1 << 20;
  std::string text;
  try {
    text = read_file(path, kLargest);
  } catch (const Error& error) {
    throw UsageError(std::string("configuration: ") + error.what());
  }
  for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (!is_plain_text(std::string_view(text).substr(begin, end - begin))) {
      fail_usage("{}:{}: a configuration is UTF-8 text, but this line is not", path.string(), line);
    }
    begin = end + 1;
  }
  return text;
}

}  // namespace rhea
