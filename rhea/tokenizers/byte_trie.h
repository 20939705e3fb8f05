// Finds all tokens that a text begins with.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rhea {

class ByteTrie {
 public:
  ByteTrie() : values_(1, -1) {}

  // Of equal keys the last one counts.
  void insert(std::string_view key, std::int32_t value) {
    std::uint32_t node = 0;
    for (const char c : key) {
      const auto [edge, fresh] = edges_.try_emplace(edge_key(node, c), static_cast<std::uint32_t>(values_.size()));
      if (fresh) {
        values_.push_back(-1);
      }
      node = edge->second;
    }
    values_[node] = value;
  }

  bool contains(std::string_view key) const {
    bool found = false;
    for_each_prefix(key, [&](std::size_t length, std::int32_t) { found |= length == key.size(); });
    return found;
  }

  // Calls found(length, value) for each key that the text begins with, the shortest first.
  template <class Found>
  void for_each_prefix(std::string_view text, const Found& found) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto edge = edges_.find(edge_key(node, text[i]));
      if (edge == edges_.end()) {
        return;
      }
      node = edge->second;
      if (values_[node] >= 0) {
        found(i + 1, values_[node]);
      }
    }
  }

 private:
  static std::uint64_t edge_key(std::uint32_t node, char c) {
    return (static_cast<std::uint64_t>(node) << 8) | static_cast<unsigned char>(c);
  }

  std::unordered_map<std::uint64_t, std::uint32_t> edges_;
  std::vector<std::int32_t> values_;  // by node; -1: no key ends there
};

}  // namespace rhea
