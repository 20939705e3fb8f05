#include "rhea/tokenizers/added_tokens.h"

#include "rhea/tokenizers/unicode.h"

#include <algorithm>

namespace rhea {
namespace {

// The character that ends where the text ends.
std::int32_t last_code(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) {
    --begin;
  }
  const Character character = first_character(text.substr(begin));
  return character.bytes.size() == text.size() - begin ? character.code : -1;
}

}  // namespace

void AddedTokenFinder::add(std::string content, const AddedToken& token) {
  if (content.empty()) {
    return;  // normalised to nothing: nowhere to be found
  }
  starts_token_[static_cast<unsigned char>(content.front())] = true;
  if (!by_content_.contains(content)) {  // of equal ones the first counts
    by_content_.insert(content, static_cast<std::int32_t>(tokens_.size()));
    tokens_.push_back({std::move(content), token});
  }
}

const AddedTokenFinder::Entry* AddedTokenFinder::find_at(std::string_view whole, std::size_t at) const {
  const Entry* longest = nullptr;
  if (starts_token_[static_cast<unsigned char>(whole[at])]) {
    by_content_.for_each_prefix(whole.substr(at),
                                [&](std::size_t, std::int32_t i) { longest = &tokens_[static_cast<std::size_t>(i)]; });
  }
  return longest;
}

bool AddedTokenFinder::touches_word(std::string_view whole, std::size_t begin, std::size_t end) {
  return (begin > 0 && is_word_character(last_code(whole.substr(0, begin)))) ||
         (end < whole.size() && is_word_character(first_character(whole.substr(end)).code));
}

AddedTokenFinder::Bounds AddedTokenFinder::with_spaces(std::string_view whole, Bounds bounds, std::size_t done,
                                                       const AddedToken& token) {
  bounds.begin = std::max(bounds.begin, done);
  while (token.lstrip && bounds.begin > done && is_white_space(last_code(whole.substr(0, bounds.begin)))) {
    do {
      --bounds.begin;
    } while (bounds.begin > done && (static_cast<unsigned char>(whole[bounds.begin]) & 0xC0) == 0x80);
  }
  while (token.rstrip && bounds.end < whole.size()) {
    const Character next = first_character(whole.substr(bounds.end));
    if (!is_white_space(next.code)) {
      break;
    }
    bounds.end += next.bytes.size();
  }
  return bounds;
}

}  // namespace rhea
