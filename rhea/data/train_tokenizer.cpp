#include "rhea/data/train_tokenizer.h"

namespace rhea {

std::string train_tokenizer(DocumentReader& documents, const BpeTrainOptions& options) {
  DocumentPart part;
  const auto next_text = [&](std::string& text) {
    const bool more = documents.next(part);
    text = std::move(part.text);
    return more;
  };
  return train_bpe(next_text, options);
}

}  // namespace rhea
