// First stage: rewrites the text (Unicode normal forms, lower case, accents, spaces).
#pragma once

#include "rhea/tokenizers/json_view.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

class Normalizer {
 public:
  using Step = std::function<void(std::string& text)>;

  Normalizer() = default;
  // keeps_ascii: text of ASCII characters only comes out as it is.
  Normalizer(std::vector<Step> steps, bool keeps_ascii) : steps_(std::move(steps)), keeps_ascii_(keeps_ascii) {}

  // The rewritten text; `storage` keeps it if it is not the text itself. Bytes that are no UTF-8 stay.
  std::string_view apply(std::string_view text, std::string& storage) const;

 private:
  std::vector<Step> steps_;
  bool keeps_ascii_ = true;
};

// Reads the "normalizer" of a tokenizer.json; without one nothing is rewritten. Throws Error naming what is wrong or not
// supported.
Normalizer read_normalizer(const JsonView& top);

}  // namespace rhea
