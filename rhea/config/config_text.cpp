#include "rhea/config/config_text.h"

#include "rhea/core/error.h"
#include "rhea/core/files.h"

namespace rhea {

std::string read_config_text(const std::filesystem::path& path) {
  constexpr std::uint64_t kLargest = 1 << 20;
  try {
    return read_file(path, kLargest);
  } catch (const Error& error) {
    throw UsageError(std::string("configuration: ") + error.what());
  }
}

}  // namespace rhea
