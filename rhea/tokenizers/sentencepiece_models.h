// SentencePiece's two ways of cutting normalised text into pieces. Both give the ids that its library gives.
#pragma once

#include "rhea/tokenizers/sentencepiece_file.h"
#include "rhea/tokenizers/subword_model.h"

#include <memory>

namespace rhea {

std::unique_ptr<const SubwordModel> make_sentencepiece_bpe(const SentencePieceFile& model);
std::unique_ptr<const SubwordModel> make_sentencepiece_unigram(const SentencePieceFile& model);

}  // namespace rhea
