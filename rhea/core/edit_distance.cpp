#include "rhea/core/edit_distance.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace rhea {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    distance[i][0] = i;
  }
  for (std::size_t j = 0; j <= b.size(); ++j) {
    distance[0][j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates, std::size_t limit) {
  // A slip of the finger changes a third of a name at most; hostile megabyte-long names are not compared at all.
  constexpr std::size_t kLongestName = 200;
  if (name.size() > kLongestName) {
    return {};
  }
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance <= std::max<std::size_t>(2, std::max(name.size(), candidate.size()) / 3)) {
      near.emplace_back(distance, candidate);
    }
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(limit, near.size()); ++i) {
    names.push_back(near[i].second);
  }
  return names;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::vector<std::string> near = nearest_names(name, candidates);
  if (!near.empty()) {
    std::string text = "; did you mean ";
    for (std::size_t i = 0; i < near.size(); ++i) {
      text += fmt::format("{}\"{}\"", i == 0 ? "" : " or ", near[i]);
    }
    return text + "?";
  }
  constexpr std::size_t kShortList = 16;
  if (candidates.empty() || candidates.size() > kShortList) {
    return "";
  }
  return fmt::format("; there are: {}", fmt::join(candidates, ", "));
}

}  // namespace rhea
