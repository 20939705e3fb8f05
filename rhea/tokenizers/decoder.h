// Last stage, on the way back: the texts of tokens to text.
#pragma once

#include "rhea/tokenizers/json_view.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

class Decoder {
 public:
  using Tokens = std::vector<std::string>;
  using Step = std::function<void(Tokens& tokens)>;

  // Without steps tokens are joined by spaces.
  explicit Decoder(std::vector<Step> steps, bool only_unspells_bytes = false)
      : steps_(std::move(steps)), only_unspells_bytes_(only_unspells_bytes) {}

  // What tokens with bytes that are no UTF-8 stand for stays bytes.
  std::string decode(Tokens tokens) const;

  // All that is done is append_unspelled() (byte_level.h) for each token: there is a faster way then than decode().
  bool only_unspells_bytes() const { return only_unspells_bytes_; }

 private:
  std::vector<Step> steps_;
  bool only_unspells_bytes_;
};

// The byte that a token such as "<0x41>" stands for.
std::optional<char> spelled_byte(std::string_view token);

// Reads the "decoder" of a tokenizer.json. Throws Error naming what is wrong or not supported.
Decoder read_decoder(const JsonView& top);

}  // namespace rhea
