// Trains a tokenizer on the documents of a data set.
#pragma once

#include "rhea/data/document_reader.h"
#include "rhea/tokenizers/train_bpe.h"

#include <string>

namespace rhea {

// Reads the documents to their end; gives the contents of a tokenizer.json. Throws as train_bpe() does.
std::string train_tokenizer(DocumentReader& documents, const BpeTrainOptions& options);

}  // namespace rhea
