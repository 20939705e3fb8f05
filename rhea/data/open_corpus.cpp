#include "rhea/core/error.h"
#include "rhea/core/log.h"
#include "rhea/core/random.h"
#include "rhea/data/encode_corpus.h"
#include "rhea/data/file_lock.h"
#include "rhea/data/token_corpus.h"
#include "rhea/data/token_file.h"
#include "rhea/data/train_tokenizer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace rhea {
namespace {

namespace fs = std::filesystem;

std::string name_of(const SourceOptions& options) {
  return fmt::format("{}", fmt::join(options.paths, ", "));
}

// Everything that the documents depend on: changing it makes another cache file.
std::string describe(std::span<const SourceFile> files, const SourceOptions& options) {
  std::string text = fmt::format("text_field={} document_start={}\n", options.text_field, options.document_start);
  for (const SourceFile& file : files) {
    text += fmt::format("{} {} {}\n", fs::absolute(file.path).lexically_normal().string(), file.size, file.modified);
  }
  return text;
}

int threads_of_machine(int threads) {
  return threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// What stands between the documents of a shard, and is put around them again when rows are made.
std::vector<std::int32_t> separators(const Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids;
  for (const auto id : {tokenizer.bos_id(), tokenizer.eos_id()}) {
    if (id) {
      ids.push_back(*id);
    }
  }
  return ids;
}

// The cached file, or null if there is none or it is broken.
std::unique_ptr<const TokenFile> try_open(const fs::path& path, std::uint64_t key) {
  if (!fs::exists(path)) {
    return nullptr;
  }
  try {
    return TokenFile::open_cached(path, key);
  } catch (const Error& error) {
    log_warning("{}; it is made anew", error.what());
    return nullptr;
  }
}

void write_cache(const fs::path& path, std::uint64_t key, std::span<const SourceFile> files, const SourceOptions& options,
                 const Tokenizer& tokenizer, int threads) {
  const auto start = std::chrono::steady_clock::now();
  fs::path unfinished = path;
  unfinished += ".unfinished";
  log_info("tokenising {} ({} files) into {}", name_of(options), files.size(), path.string());
  TokenFileWriter writer(unfinished, tokenizer.vocab_size(), key);
  encode_corpus(*open_documents(files, options), tokenizer, writer, threads_of_machine(threads));
  writer.close();
  fs::rename(unfinished, path);
  sync_folder(path.parent_path());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  log_info("{} documents, {} tokens in {:.1f} s", writer.num_documents(), writer.num_tokens(), seconds.count());
}

std::unique_ptr<const TokenFile> open_or_make(std::span<const SourceFile> files, const SourceOptions& options,
                                              const Tokenizer& tokenizer, const fs::path& folder, int threads) {
  const std::uint64_t key = hash_name(fmt::format("{}tokenizer={:x}", describe(files, options), tokenizer.hash()));
  const fs::path path = folder / fmt::format("{:016x}.tokens", key);
  require_writable_folder(folder, "the folder for cached tokens");
  // Under the lock: of several processes (ranks) one makes the file, the others then find it.
  const FileLock lock(fs::path(path) += ".lock");
  if (auto file = try_open(path, key)) {
    return file;
  }
  write_cache(path, key, files, options, tokenizer, threads);
  return TokenFile::open_cached(path, key);
}

}  // namespace

std::shared_ptr<const TokenCorpus> open_corpus(const SourceOptions& options, const Tokenizer& tokenizer,
                                               const fs::path& cache_folder, int threads) {
  const std::vector<SourceFile> sources = find_sources(options);
  std::vector<std::unique_ptr<const TokenFile>> files;
  if (sources.front().kind == SourceKind::kTokenShard) {
    for (const SourceFile& source : sources) {
      files.push_back(TokenFile::open_shard(source.path, separators(tokenizer)));
    }
  } else {
    files.push_back(open_or_make(sources, options, tokenizer, cache_folder, threads));
  }
  return std::make_shared<TokenCorpus>(name_of(options), tokenizer.vocab_size(), std::move(files));
}

std::unique_ptr<Tokenizer> build_tokenizer(const TokenizerOptions& options, const SourceOptions& sources,
                                           const fs::path& cache_folder, int threads) {
  return load_tokenizer(find_or_train_tokenizer(options, sources, cache_folder, threads));
}

fs::path find_or_train_tokenizer(const TokenizerOptions& options, const SourceOptions& sources, const fs::path& cache_folder,
                                 int threads) {
  if (!options.path.empty()) {
    return options.path;
  }
  const std::vector<SourceFile> files = find_sources(sources);
  if (files.front().kind == SourceKind::kTokenShard) {
    fail_usage("{}: no tokenizer can be trained on files of tokens; name the one that made them", name_of(sources));
  }
  BpeTrainOptions train;
  train.vocab_size = options.vocab_size;
  train.threads = threads;
  const std::uint64_t key = hash_name(
      fmt::format("{}{} {} {}", describe(files, sources), train.vocab_size, train.pattern, fmt::join(train.special_tokens, " ")));
  const fs::path path = cache_folder / fmt::format("tokenizer-{:016x}.json", key);
  require_writable_folder(cache_folder, "the folder for cached tokens");
  const FileLock lock(fs::path(path) += ".lock");
  if (!fs::exists(path)) {
    log_info("training a tokenizer of {} entries on {} into {}", train.vocab_size, name_of(sources), path.string());
    write_file_atomically(path, train_tokenizer(*open_documents(files, sources), train));
  }
  return path;
}

}  // namespace rhea
