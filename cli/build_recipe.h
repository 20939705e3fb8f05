// Building a recipe of the user's own: one .cpp file against librhea.so.
#pragma once

#include <filesystem>

namespace rhea::cli {

// The program that `source` compiles to: from the cache when neither the source, nor the library, nor the flags have
// changed. Throws Error after the compiler's own messages when it does not compile.
std::filesystem::path build_recipe(const std::filesystem::path& source);

}  // namespace rhea::cli
