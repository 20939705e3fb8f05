// Tokenises all documents of a data set with several threads.
#pragma once

#include "rhea/data/document_reader.h"
#include "rhea/data/token_writer.h"
#include "rhea/tokenizers/tokenizer.h"

namespace rhea {

struct EncodingReport {
  // Texts (of a large one: parts) that decode(encode(text)) changes, as tokenizers that lower case or add a space do.
  std::int64_t changed_texts = 0;
};

// Reads the documents to their end and writes their ids in order. What is written does not depend on the number of threads.
// Memory: about a megabyte of text a thread. What goes wrong in a thread is rethrown here.
// Warns once if there are changed texts, with the beginning of one.
EncodingReport encode_corpus(DocumentReader& documents, const Tokenizer& tokenizer, TokenWriter& writer, int threads);

}  // namespace rhea
