// The keys of recipes/generate.cpp.
#pragma once

#include "rhea/config/key_table.h"

#include <cstdint>
#include <string>

namespace rhea {

struct GenerateConfig {
  std::string checkpoint;
  std::string prompt;
  std::string tokenizer;
  std::int64_t max_new_tokens = 200;
  std::int64_t num_samples = 1;
  double temperature = 0.8;
  std::int64_t top_k = 0;
  double top_p = 0.95;
  std::int64_t seed = 42;
  std::string dtype = "float32";
  std::string device = "auto";
  void declare(KeyTable& keys);
};

// Throws UsageError when no checkpoint is named.
void check(const GenerateConfig& config);

}  // namespace rhea
