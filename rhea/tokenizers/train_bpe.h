// Trains a byte-level BPE tokenizer on text and gives it as a tokenizer.json.
//
// The result is the one that Hugging Face's BpeTrainer gives (Sennrich et al., 2016: the most frequent pair becomes a
// token, again and again; of equally frequent pairs the one with the smallest ids), whatever the number of threads.
// Memory: one entry for each distinct word of the text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

// How text is cut into the words inside which pairs are merged, as Llama 3 does it.
inline constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

struct BpeTrainOptions {
  std::int64_t vocab_size = 2048;  // special tokens and the 256 bytes included
  std::vector<std::string> special_tokens = {"<|begin_of_text|>", "<|end_of_text|>"};  // ids 0, 1, ...
  std::string pattern{kLlama3Pattern};
  int threads = 0;  // that count words; 0: as many as the machine has
};

// Gives the next document, or false when there is none left. Called from one thread at a time.
using NextText = std::function<bool(std::string& text)>;

// The contents of the tokenizer.json. Throws UsageError for impossible options; a text too small for vocab_size gives
// a smaller vocabulary and a warning.
std::string train_bpe(const NextText& next_text, const BpeTrainOptions& options);

}  // namespace rhea
