// One mapped file of tokens and where its documents begin and end.
//
// The token cache's own format, all numbers little-endian:
//
//   tokens     num_tokens x bytes_per_token (2 or 4), then zeros up to a multiple of 8 bytes
//   bounds     (num_documents + 1) x uint64: document i is tokens [bounds[i], bounds[i + 1]), none is empty
//   trailer    64 bytes: "RHEATOKS", uint32 version = 1, uint32 bytes_per_token, uint64 num_tokens,
//              uint64 num_documents, uint64 key (what it was made of), uint64 hash of the bounds, 8 zero bytes,
//              uint64 hash of the trailer before this field
#pragma once

#include "rhea/core/files.h"
#include "rhea/data/token_corpus.h"
#include "rhea/data/token_writer.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace rhea {

class TokenFile {
 public:
  // A file of the token cache. Throws Error saying what is broken about it, or that its key is another one.
  static std::unique_ptr<const TokenFile> open_cached(const std::filesystem::path& path, std::uint64_t key);

  // A shard as llm.c writes them: int32[256] header (magic, version, number of tokens), then the tokens: uint16 with magic
  // 20240520 and version 1, uint32 with magic 20240801 and version 7.
  // Documents are what lies between the separators, which belong to none.
  static std::unique_ptr<const TokenFile> open_shard(const std::filesystem::path& path, std::span<const std::int32_t> separators);

  std::int64_t num_documents() const { return num_documents_; }
  std::int64_t num_tokens() const { return num_tokens_; }  // in documents
  std::uint64_t fingerprint() const { return fingerprint_; }
  std::int64_t length(std::int64_t document) const { return end(document) - begin(document); }
  TokenSpan tokens(std::int64_t document) const;

 private:
  explicit TokenFile(const std::filesystem::path& path) : mapped_(path) {}
  void open_as_cached(const std::string& name, std::uint64_t key);
  void open_as_shard(const std::string& name, std::span<const std::int32_t> separators);
  template <class Id>
  void find_documents(std::size_t count, std::span<const std::int32_t> separators);
  std::int64_t begin(std::int64_t i) const { return static_cast<std::int64_t>(bounds_[i * stride_]); }
  std::int64_t end(std::int64_t i) const { return static_cast<std::int64_t>(bounds_[i * stride_ + 1]); }

  MappedFile mapped_;
  const std::byte* first_token_ = nullptr;
  std::size_t bytes_per_token_ = 2;
  std::vector<std::uint64_t> own_bounds_;  // of a shard
  std::span<const std::uint64_t> bounds_;  // mapped, or own_bounds_
  std::size_t stride_ = 1;                 // 1: a document ends where the next begins; 2: begin and end of each
  std::int64_t num_documents_ = 0, num_tokens_ = 0;
  std::uint64_t fingerprint_ = 0;
};

// Writes the cache's format front to back. Nothing counts as written before close() has returned.
class TokenFileWriter : public TokenWriter {
 public:
  TokenFileWriter(const std::filesystem::path& path, std::int64_t vocab_size, std::uint64_t key);
  void append(std::span<const std::int32_t> ids) override;
  void end_document() override;  // an empty one is left out
  void close();
  std::int64_t num_tokens() const { return static_cast<std::int64_t>(num_tokens_); }
  std::int64_t num_documents() const { return static_cast<std::int64_t>(bounds_.size()) - 1; }

 private:
  FileWriter file_;
  std::uint32_t bytes_per_token_;
  std::uint64_t key_;
  std::uint64_t num_tokens_ = 0;
  std::vector<std::uint64_t> bounds_ = {0};
  std::vector<std::uint16_t> narrow_;
};

}  // namespace rhea
