// "Did you mean ...?": the names nearest to one that is not there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

// Insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidates close enough to be what was meant, nearest first, at most `limit`.
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates, std::size_t limit = 3);

// "; did you mean \"x\" or \"y\"?", or "; there are: a, b, c" when nothing is near and the list is short, else "".
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace rhea
