// Whole pieces as tokens.
#pragma once

#include "rhea/tokenizers/subword_model.h"

namespace rhea {

class WordLevel : public SubwordModel {
 public:
  explicit WordLevel(const JsonView& model);

 protected:
  // Throws Error for a piece that is not in the vocabulary when there is no token for what is unknown.
  void encode_uncached(std::string_view piece, std::vector<std::int32_t>& ids) const override;

 private:
  std::int32_t unknown_id_;
};

}  // namespace rhea
