#include "rhea/data/token_file.h"

#include "rhea/core/error.h"
#include "rhea/data/shard_format.h"
#include "rhea/data/token_file_format.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rhea {
namespace {

std::uint64_t hash_bounds(std::span<const std::uint64_t> bounds) {
  return hash_name({reinterpret_cast<const char*>(bounds.data()), bounds.size_bytes()});
}

}  // namespace

std::unique_ptr<const TokenFile> TokenFile::open_cached(const std::filesystem::path& path, std::uint64_t key) {
  std::unique_ptr<TokenFile> file(new TokenFile(path));
  file->open_as_cached(path.string(), key);
  return file;
}

std::unique_ptr<const TokenFile> TokenFile::open_shard(const std::filesystem::path& path,
                                                       std::span<const std::int32_t> separators) {
  std::unique_ptr<TokenFile> file(new TokenFile(path));
  file->open_as_shard(path.string(), separators);
  return file;
}

void TokenFile::open_as_cached(const std::string& name, std::uint64_t key) {
  const auto bytes = mapped_.bytes();
  TokenFileTrailer trailer;
  if (bytes.size() < sizeof(trailer)) {
    fail("{}: {} bytes are too few for a token file", name, bytes.size());
  }
  std::memcpy(&trailer, bytes.data() + bytes.size() - sizeof(trailer), sizeof(trailer));
  if (trailer.magic != TokenFileTrailer().magic || trailer.hash != trailer.own_hash()) {
    fail("{}: the trailer is broken", name);
  }
  if (trailer.version != 1) {
    fail("{}: version {} of the format; this program reads version 1", name, trailer.version);
  }
  if (trailer.key != key) {
    fail("{}: made from other text, options or another tokenizer", name);
  }
  const std::uint64_t size = bytes.size();
  const bool plausible = (trailer.bytes_per_token == 2 || trailer.bytes_per_token == 4) && trailer.num_tokens <= size / 2 &&
                         trailer.num_documents <= size / 8;
  const std::uint64_t bounds_at = plausible ? padded_to_8(trailer.num_tokens * trailer.bytes_per_token) : 0;
  if (!plausible || bounds_at + (trailer.num_documents + 1) * 8 + sizeof(trailer) != size) {
    fail("{}: {} tokens of {} bytes and {} documents do not fit its {} bytes", name, trailer.num_tokens, trailer.bytes_per_token,
         trailer.num_documents, size);
  }
  bounds_ = {reinterpret_cast<const std::uint64_t*>(bytes.data() + bounds_at), trailer.num_documents + 1};
  if (hash_bounds(bounds_) != trailer.bounds_hash) {
    fail("{}: the bounds of the documents are broken", name);
  }
  const bool ascending = std::adjacent_find(bounds_.begin(), bounds_.end(), std::greater_equal<>()) == bounds_.end();
  if (!ascending || bounds_.front() != 0 || bounds_.back() != trailer.num_tokens) {
    fail("{}: the bounds of the documents do not ascend from 0 to {}", name, trailer.num_tokens);
  }
  first_token_ = bytes.data();
  bytes_per_token_ = trailer.bytes_per_token;
  num_documents_ = static_cast<std::int64_t>(trailer.num_documents);
  num_tokens_ = static_cast<std::int64_t>(trailer.num_tokens);
  fingerprint_ = trailer.bounds_hash;
}

void TokenFile::open_as_shard(const std::string& name, std::span<const std::int32_t> separators) {
  ShardHeader header;
  const auto bytes = mapped_.bytes();
  if (bytes.size() < sizeof(header)) {
    fail("{}: {} bytes are too few for a shard of tokens, whose header alone has {}", name, bytes.size(), sizeof(header));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  const bool wide = header.magic == kWideShard.magic;
  const ShardKind& kind = wide ? kWideShard : kNarrowShard;
  if (header.magic != kind.magic) {
    fail("{}: no llm.c shard of tokens: it begins with {}, not with {} or {}", name, header.magic, kNarrowShard.magic,
         kWideShard.magic);
  }
  if (header.version != kind.version) {
    fail("{}: version {} of the shard format; supported is version {} (uint{} tokens)", name, header.version, kind.version,
         8 * kind.bytes_per_token);
  }
  const std::size_t there = (bytes.size() - sizeof(header)) / kind.bytes_per_token;
  if (header.num_tokens < 0 || static_cast<std::size_t>(header.num_tokens) != there || bytes.size() % kind.bytes_per_token != 0) {
    fail("{}: the header speaks of {} tokens, the file of {} bytes has room for {}: it is cut or broken", name, header.num_tokens,
         bytes.size(), there);
  }
  first_token_ = bytes.data() + sizeof(header);
  bytes_per_token_ = static_cast<std::size_t>(kind.bytes_per_token);
  stride_ = 2;
  if (wide) {
    find_documents<std::uint32_t>(there, separators);
  } else {
    find_documents<std::uint16_t>(there, separators);
  }
  bounds_ = own_bounds_;
  num_documents_ = static_cast<std::int64_t>(bounds_.size() / 2);
  for (std::int64_t i = 0; i < num_documents_; ++i) {
    num_tokens_ += length(i);
  }
  fingerprint_ = hash_bounds(bounds_);
}

template <class Id>
void TokenFile::find_documents(std::size_t count, std::span<const std::int32_t> separators) {
  const std::span ids(reinterpret_cast<const Id*>(first_token_), count);
  const auto separates = [&](Id id) {
    return std::any_of(separators.begin(), separators.end(), [id](std::int32_t other) { return std::int64_t{id} == other; });
  };
  for (auto begin = ids.begin(); begin != ids.end();) {
    const auto end = std::find_if(begin, ids.end(), separates);
    if (end != begin) {
      own_bounds_.push_back(static_cast<std::uint64_t>(begin - ids.begin()));
      own_bounds_.push_back(static_cast<std::uint64_t>(end - ids.begin()));
    }
    begin = end == ids.end() ? end : end + 1;
  }
}

TokenSpan TokenFile::tokens(std::int64_t document) const {
  const std::byte* first = first_token_ + static_cast<std::size_t>(begin(document)) * bytes_per_token_;
  const auto count = static_cast<std::size_t>(length(document));
  if (bytes_per_token_ == 2) {
    return std::span(reinterpret_cast<const std::uint16_t*>(first), count);
  }
  return std::span(reinterpret_cast<const std::uint32_t*>(first), count);
}

TokenFileWriter::TokenFileWriter(const std::filesystem::path& path, std::int64_t vocab_size, std::uint64_t key)
    : file_(path), bytes_per_token_(vocab_size <= 65536 ? 2 : 4), key_(key) {}

void TokenFileWriter::append(std::span<const std::int32_t> ids) {
  if (bytes_per_token_ == 2) {
    narrow_.assign(ids.begin(), ids.end());
    file_.write(narrow_.data(), narrow_.size() * sizeof(std::uint16_t));
  } else {
    file_.write(ids.data(), ids.size_bytes());
  }
  num_tokens_ += ids.size();
}

void TokenFileWriter::end_document() {
  if (num_tokens_ > bounds_.back()) {
    bounds_.push_back(num_tokens_);
  }
}

void TokenFileWriter::close() {
  end_document();
  const std::uint64_t bytes = num_tokens_ * bytes_per_token_;
  const std::array<char, 8> zeros{};
  file_.write(zeros.data(), padded_to_8(bytes) - bytes);
  file_.write(bounds_.data(), bounds_.size() * sizeof(std::uint64_t));
  TokenFileTrailer trailer;
  trailer.bytes_per_token = bytes_per_token_;
  trailer.num_tokens = num_tokens_;
  trailer.num_documents = bounds_.size() - 1;
  trailer.key = key_;
  trailer.bounds_hash = hash_bounds(bounds_);
  trailer.hash = trailer.own_hash();
  file_.write(&trailer, sizeof(trailer));
  file_.close();
}

}  // namespace rhea
