// Tokenises all documents of a data set with several threads.
#pragma once

#include "rhea/data/document_reader.h"
#include "rhea/data/token_file.h"
#include "rhea/tokenizers/tokenizer.h"

namespace rhea {

// Reads the documents to their end and writes their ids in order. The file does not depend on the number of threads.
// Memory: about a megabyte of text a thread. What goes wrong in a thread is rethrown here.
void encode_corpus(DocumentReader& documents, const Tokenizer& tokenizer, TokenFileWriter& writer, int threads);

}  // namespace rhea
