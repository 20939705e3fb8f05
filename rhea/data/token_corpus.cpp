#include "rhea/data/token_corpus.h"

#include "rhea/core/error.h"
#include "rhea/core/random.h"
#include "rhea/data/token_file.h"

#include <algorithm>

namespace rhea {

std::int64_t TokenSpan::size() const {
  return std::visit([](auto ids) { return static_cast<std::int64_t>(ids.size()); }, ids_);
}

void TokenSpan::copy(std::int64_t first, std::span<std::int64_t> out) const {
  std::visit([&](auto ids) { std::copy_n(ids.begin() + first, out.size(), out.begin()); }, ids_);
}

TokenCorpus::TokenCorpus(std::string name, std::int64_t vocab_size, std::vector<std::unique_ptr<const TokenFile>> files)
    : name_(std::move(name)), vocab_size_(vocab_size), files_(std::move(files)), first_document_({0}) {
  std::string fingerprints;
  for (const auto& file : files_) {
    first_document_.push_back(first_document_.back() + file->num_documents());
    num_tokens_ += file->num_tokens();
    fingerprints += fmt::format("{} {} {:x};", file->num_documents(), file->num_tokens(), file->fingerprint());
  }
  fingerprint_ = hash_name(fingerprints);
  if (num_tokens_ == 0) {
    fail_usage("{}: the data set is empty: there is no token in it", name_);
  }
}

TokenCorpus::~TokenCorpus() = default;

std::int64_t TokenCorpus::length(std::int64_t document) const {
  const auto file = std::upper_bound(first_document_.begin(), first_document_.end(), document) - first_document_.begin() - 1;
  return files_[file]->length(document - first_document_[file]);
}

TokenSpan TokenCorpus::tokens(std::int64_t document) const {
  const auto file = std::upper_bound(first_document_.begin(), first_document_.end(), document) - first_document_.begin() - 1;
  return files_[file]->tokens(document - first_document_[file]);
}

}  // namespace rhea
