// The C++ side of tokenizer_json_test.py: a tokenizer.json as argument, texts as JSON lines on standard input; ids, ids
// with special tokens and the decoded text as JSON lines on standard output.
#include "rhea/core/error.h"
#include "rhea/tokenizers/tokenizer.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

int main(int, char** argv) {
  using Json = nlohmann::json;
  try {
    const auto tokenizer = rhea::load_tokenizer(argv[1]);
    for (std::string line; std::getline(std::cin, line);) {
      Json answer;
      try {
        const auto text = Json::parse(line).get<std::string>();
        const auto ids = tokenizer->encode(text);
        answer = {{"ids", ids}, {"special", tokenizer->encode_with_special_tokens(text)}, {"text", tokenizer->decode(ids)}};
      } catch (const rhea::Error& error) {
        answer = {{"error", error.what()}};
      }
      std::cout << answer.dump(-1, ' ', true, Json::error_handler_t::replace) << "\n";
    }
  } catch (const rhea::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
