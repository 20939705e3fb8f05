// What a tokenizer puts around a text: [CLS] ... [SEP], <s> ... and the like.
#pragma once

#include "rhea/tokenizers/json_view.h"

#include <cstdint>
#include <vector>

namespace rhea {

struct PostProcessor {
  std::vector<std::int32_t> before, after;
};

// Reads the "post_processor" of a tokenizer.json, for a single text. Throws Error naming what is wrong or not supported.
PostProcessor read_post_processor(const JsonView& top);

}  // namespace rhea
