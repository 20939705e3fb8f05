// What SentencePiece makes of text that no piece covers: its bytes, or one unknown token for all that follows each other.
#pragma once

#include "rhea/tokenizers/sentencepiece_file.h"
#include "rhea/tokenizers/vocabulary.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rhea {

class UnknownText {
 public:
  UnknownText(const SentencePieceFile& model, const Vocabulary& vocabulary)
      : unknown_id_(model.unknown_id),
        byte_ids_(model.byte_fallback ? find_byte_tokens(vocabulary) : std::vector<std::int32_t>()) {}

  // `first`: where the ids of this text begin in `ids`; what stands before is another's.
  void append(std::string_view text, std::size_t first, std::vector<std::int32_t>& ids) const {
    for (const char c : byte_ids_.empty() ? std::string_view() : text) {
      ids.push_back(byte_ids_[static_cast<unsigned char>(c)]);
    }
    if (byte_ids_.empty() && (ids.size() == first || ids.back() != unknown_id_)) {
      ids.push_back(unknown_id_);
    }
  }

 private:
  std::int32_t unknown_id_;
  std::vector<std::int32_t> byte_ids_;  // empty: no byte fallback
};

}  // namespace rhea
