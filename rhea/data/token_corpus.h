// A data set as token ids: documents in a fixed order, mapped from files, never loaded as a whole.
//
// Immutable; any thread may read.
#pragma once

#include "rhea/data/sources.h"
#include "rhea/tokenizers/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace rhea {

// The ids of one document, as wide as they are stored.
class TokenSpan {
 public:
  TokenSpan(std::span<const std::uint16_t> ids) : ids_(ids) {}
  TokenSpan(std::span<const std::uint32_t> ids) : ids_(ids) {}
  std::int64_t size() const;
  // Copies ids [first, first + out.size()) widened.
  void copy(std::int64_t first, std::span<std::int64_t> out) const;

 private:
  std::variant<std::span<const std::uint16_t>, std::span<const std::uint32_t>> ids_;
};

class TokenFile;  // one mapped file of tokens with the bounds of its documents, token_file.h

class TokenCorpus {
 public:
  // `name` is what messages call it. Throws UsageError if there is no token at all.
  TokenCorpus(std::string name, std::int64_t vocab_size, std::vector<std::unique_ptr<const TokenFile>> files);
  TokenCorpus(const TokenCorpus&) = delete;
  TokenCorpus& operator=(const TokenCorpus&) = delete;
  ~TokenCorpus();

  const std::string& name() const { return name_; }
  std::int64_t num_documents() const { return first_document_.back(); }
  std::int64_t num_tokens() const { return num_tokens_; }
  std::int64_t vocab_size() const { return vocab_size_; }  // ids are to be below; whoever reads them checks
  std::int64_t length(std::int64_t document) const;        // in tokens, at least 1
  TokenSpan tokens(std::int64_t document) const;
  std::uint64_t fingerprint() const { return fingerprint_; }  // of the documents' lengths: tells whether a position fits

 private:
  std::string name_;
  std::int64_t vocab_size_;
  std::vector<std::unique_ptr<const TokenFile>> files_;
  std::vector<std::int64_t> first_document_;  // [files + 1]
  std::int64_t num_tokens_ = 0;
  std::uint64_t fingerprint_ = 0;
};

// Opens the data set. Text and JSONL are tokenised once into cache_folder (token_file.h) and mapped from
// there afterwards; a changed source, tokenizer or option makes a new cache file, a broken one is rebuilt with a warning.
// Several processes may do this at once: one works, the others wait for it. Shards are mapped where they are.
std::shared_ptr<const TokenCorpus> open_corpus(const SourceOptions& options, const Tokenizer& tokenizer,
                                               const std::filesystem::path& cache_folder, int threads = 0);

// The tokenizer of a data set: loaded from `path` if that is not empty, else trained to `vocab_size` entries on the
// text of the data set and kept in cache_folder as tokenizer-<hash>.json.
struct TokenizerOptions {
  std::string path;                // a tokenizer's file or a folder that holds one (tokenizer.h)
  std::int64_t vocab_size = 2048;  // of a trained one
};
// Where that tokenizer lies: options.path as it is, or the cached file, trained first if need be.
std::filesystem::path find_or_train_tokenizer(const TokenizerOptions& options, const SourceOptions& sources,
                                              const std::filesystem::path& cache_folder, int threads = 0);
std::unique_ptr<Tokenizer> build_tokenizer(const TokenizerOptions& options, const SourceOptions& sources,
                                           const std::filesystem::path& cache_folder, int threads = 0);

}  // namespace rhea
