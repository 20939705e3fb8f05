// The getter for models: a family and a size by name, with the few changes that a configuration may make.
#pragma once

#include "rhea/models/model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rhea {

struct ModelOptions {
  std::string family = "llama3";  // llama3 | gpt2
  std::string flavor = "debugmodel";
  std::int64_t vocab_size = 0;   // 0: the size's own
  std::int64_t max_seq_len = 0;  // 0: the size's own
  bool depth_init = true;
  bool qk_norm = false;
  std::optional<bool> tied = std::nullopt;  // unset: the size's own
};

// Shapes only, on the meta device: call materialize() to give it weights. Throws UsageError for an unknown family or
// size (with the nearest names) and for an option that the family does not have.
std::unique_ptr<Model> build_model(const ModelOptions& options);

std::vector<std::string> model_families();
std::vector<std::string> model_sizes(const std::string& family);

}  // namespace rhea
