// A text written by the model, to see with one's own eyes what it has learned.
#pragma once

#include <cstdint>

namespace rhea {

class Model;
class Tokenizer;

// Prints `tokens` tokens that the model writes from the begin-of-text token on, to standard output.
void print_sample(Model& model, const Tokenizer& tokenizer, std::int64_t tokens, std::uint64_t seed);

}  // namespace rhea
