#include "rhea/tokenizers/character_map.h"

#include "rhea/tokenizers/base64.h"
#include "rhea/tokenizers/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace rhea {
namespace {

// A unit of Darts-clone's double array (darts.h, DoubleArrayUnit).
bool has_leaf(std::uint32_t unit) {
  return ((unit >> 8) & 1) != 0;
}
std::uint32_t value_of(std::uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
std::uint32_t label_of(std::uint32_t unit) {
  return unit & (0x80000000 | 0xFF);
}
std::uint32_t offset_of(std::uint32_t unit) {
  return (unit >> 10) << ((unit & (1U << 9)) >> 6);
}

}  // namespace

CharacterMap::CharacterMap(std::string_view compiled) {
  std::uint32_t bytes = 0;
  if (compiled.size() < sizeof(bytes)) {
    throw std::invalid_argument("it is too short");
  }
  std::memcpy(&bytes, compiled.data(), sizeof(bytes));
  compiled.remove_prefix(sizeof(bytes));
  if (bytes > compiled.size() || bytes % sizeof(std::uint32_t) != 0 || bytes == 0) {
    throw std::invalid_argument("the size of its trie cannot be right");
  }
  units_.resize(bytes / sizeof(std::uint32_t));
  std::memcpy(units_.data(), compiled.data(), bytes);
  replacements_ = compiled.substr(bytes);
  replacements_ += '\0';
}

template <class Found>
void CharacterMap::for_each_rule(std::string_view text, const Found& found) const {
  constexpr std::size_t kLongestRule = 256;  // bytes; a broken trie may go in circles
  std::size_t at = offset_of(units_[0]);
  for (std::size_t i = 0; i < std::min(text.size(), kLongestRule); ++i) {
    const std::uint32_t byte = static_cast<unsigned char>(text[i]);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || label_of(units_[at]) != byte) {
      return;
    }
    const std::uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (has_leaf(unit)) {
      const std::size_t place = at < units_.size() ? value_of(units_[at]) : replacements_.size();
      if (place >= replacements_.size() || !found(Rule{i + 1, &replacements_[place]})) {
        return;
      }
    }
  }
}

const char* CharacterMap::replacement(std::string_view text) const {
  const char* shortest = nullptr;
  for_each_rule(text, [&](const Rule& rule) {
    shortest = rule.replacement;
    return false;
  });
  return shortest;
}

std::optional<CharacterMap::Rule> CharacterMap::longest_rule(std::string_view text) const {
  std::optional<Rule> longest;
  for_each_rule(text, [&](const Rule& rule) {
    longest = rule;
    return true;
  });
  return longest;
}

void CharacterMap::append(std::string_view cluster, std::string& out) const {
  constexpr std::size_t kWholeBelow = 6;  // bytes
  if (cluster.size() < kWholeBelow) {
    if (const char* whole = replacement(cluster)) {
      out += whole;
      return;
    }
  }
  for_each_character(cluster, [&](const Character& character) {
    const char* single = replacement(character.bytes);
    out += single != nullptr ? std::string_view(single) : character.bytes;
  });
}

std::string CharacterMap::apply(std::string_view text) const {
  std::string out;
  std::size_t begin = 0, at = 0;
  std::int32_t previous = -1, state = 0;
  for_each_character(text, [&](const Character& character) {
    const bool breaks = previous < 0 || character.code < 0 || utf8proc_grapheme_break_stateful(previous, character.code, &state);
    if (breaks && at > begin) {
      append(text.substr(begin, at - begin), out);
      begin = at;
      state = 0;
    }
    previous = character.code;
    at += character.bytes.size();
  });
  append(text.substr(begin), out);
  return out;
}

CharacterMap read_character_map(const JsonView& map) {
  const auto compiled = decode_base64(map.string());
  if (!compiled) {
    map.refuse("this is no base64");
  }
  try {
    return CharacterMap(*compiled);
  } catch (const std::invalid_argument& error) {
    map.refuse("{}", error.what());
  }
}

}  // namespace rhea
