// How often each word of a text occurs, counted by several threads.
#pragma once

#include "rhea/tokenizers/regex.h"
#include "rhea/tokenizers/train_bpe.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rhea {

struct WordCount {
  std::string word;
  std::int64_t count;
};

// The pieces that the pattern cuts the documents into, sorted, so that the result does not depend on the threads.
std::vector<WordCount> count_words(const NextText& next_text, const Regex& pattern, int threads);

}  // namespace rhea
