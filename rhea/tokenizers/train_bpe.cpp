#include "rhea/tokenizers/train_bpe.h"

#include "rhea/core/error.h"
#include "rhea/core/log.h"
#include "rhea/tokenizers/bpe_learner.h"
#include "rhea/tokenizers/regex.h"
#include "rhea/tokenizers/unicode_space.h"
#include "rhea/tokenizers/utf8.h"
#include "rhea/tokenizers/word_count.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <thread>

namespace rhea {
namespace {

using Json = nlohmann::ordered_json;

void check(const BpeTrainOptions& options) {
  constexpr std::int64_t kMaxVocabSize = 1 << 24;
  const std::int64_t least = 256 + static_cast<std::int64_t>(options.special_tokens.size());
  if (options.vocab_size < least || options.vocab_size > kMaxVocabSize) {
    fail_usage(
        "tokenizer.vocab_size (model.vocab_size where that is 0): expected {} (256 bytes and {} special tokens) to {}, found {}",
        least, options.special_tokens.size(), kMaxVocabSize, options.vocab_size);
  }
  std::set<std::string> seen;
  for (const std::string& token : options.special_tokens) {
    if (token.size() < 2 || valid_utf8_prefix(token) != token.size() || !seen.insert(token).second) {
      fail_usage("special token \"{}\": each must be valid UTF-8 of at least two bytes and named once", token);
    }
  }
}

Json split_then_byte_level(const std::string& pattern) {
  const Json split = {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
  const Json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}};
  return {{"type", "Sequence"}, {"pretokenizers", Json::array({split, bytes})}};
}

Json model_of(const BpeLearner& learner) {
  Json vocab = Json::object(), merges = Json::array();
  // emplace_back on ordered_json's underlying vector would be quadratic through operator[]: it looks for the key.
  auto& entries = vocab.get_ref<Json::object_t&>();
  for (const std::string& token : learner.tokens()) {
    entries.push_back({token, entries.size()});
  }
  for (const BpeLearner::Merge merge : learner.merges()) {
    merges.push_back({learner.tokens()[merge.left], learner.tokens()[merge.right]});
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", std::move(vocab)},
          {"merges", std::move(merges)}};
}

Json added_tokens(const std::vector<std::string>& special_tokens) {
  Json tokens = Json::array();
  for (const std::string& token : special_tokens) {
    tokens.push_back({{"id", tokens.size()},
                      {"content", token},
                      {"single_word", false},
                      {"lstrip", false},
                      {"rstrip", false},
                      {"normalized", false},
                      {"special", true}});
  }
  return tokens;
}

}  // namespace

std::string train_bpe(const NextText& next_text, const BpeTrainOptions& options) {
  check(options);
  const int machine_threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const Regex pattern(write_out_spaces(options.pattern));
  const auto words = count_words(next_text, pattern, options.threads > 0 ? options.threads : machine_threads);
  BpeLearner learner(options.special_tokens, words);
  learner.learn(options.vocab_size);
  const auto learned = static_cast<std::int64_t>(learner.tokens().size());
  if (learned < options.vocab_size) {
    log_warning("the text is too small for a tokenizer of {} entries: it has {}", options.vocab_size, learned);
  }
  const Json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}};
  const Json file = {{"version", "1.0"},          {"truncation", nullptr},
                     {"padding", nullptr},        {"added_tokens", added_tokens(options.special_tokens)},
                     {"normalizer", nullptr},     {"pre_tokenizer", split_then_byte_level(options.pattern)},
                     {"post_processor", nullptr}, {"decoder", bytes},
                     {"model", model_of(learner)}};
  return file.dump(1) + "\n";
}

}  // namespace rhea
