// One microbatch in host memory. Conversion to tensors is the training loop's affair.
#pragma once

#include <cstdint>
#include <vector>

namespace rhea {

inline constexpr std::int64_t kIgnoredLabel = -100;  // PyTorch's ignore_index: no target

struct Batch {
  std::int64_t rows = 0;
  std::int64_t seq_len = 0;
  std::vector<std::int64_t> tokens;           // [rows, seq_len]
  std::vector<std::int64_t> labels;           // [rows, seq_len] the next token, or kIgnoredLabel
  std::vector<std::int32_t> document_starts;  // [rows, seq_len] index in the row where the token's document begins
  std::int64_t valid_labels = 0;              // labels that are not kIgnoredLabel
};

}  // namespace rhea
