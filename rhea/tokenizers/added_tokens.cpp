#include "rhea/tokenizers/added_tokens.h"

namespace rhea {

void AddedTokenFinder::add(std::string content, std::int32_t id) {
  starts_token_[static_cast<unsigned char>(content.front())] = true;
  const auto shorter =
      std::find_if(tokens_.begin(), tokens_.end(), [&](const Entry& e) { return e.content.size() < content.size(); });
  tokens_.insert(shorter, {std::move(content), id});
}

}  // namespace rhea
