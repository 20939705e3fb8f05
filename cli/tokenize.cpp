// rhea tokenize: see tokens, count them, encode corpora to shards, train tokenizers.
#include "cli/commands.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/core/log.h"
#include "rhea/core/thousands.h"
#include "rhea/data/encode_corpus.h"
#include "rhea/data/shard_writer.h"
#include "rhea/data/train_tokenizer.h"
#include "rhea/tokenizers/text_stream.h"
#include "rhea/tokenizers/tokenizer.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace rhea::cli {
namespace {

constexpr const char* kUsage =
    "usage: rhea tokenize TOKENIZER TEXT                       show the tokens of a text and their ids\n"
    "       rhea tokenize TOKENIZER --count PATH...            count documents, bytes and tokens\n"
    "       rhea tokenize TOKENIZER --output FOLDER PATH...    encode to shards that dataset.path reads\n"
    "       rhea tokenize --train N --output FOLDER PATH...    train a byte-level BPE tokenizer of N entries\n\n"
    "TOKENIZER is a tokenizer.json, a SentencePiece .model, a .tiktoken file or a tekken.json, a folder that holds one, or a\n"
    "run's folder. PATH is text, .jsonl (either also .gz, .dz, .zst), a folder or a pattern. Encoding uses all cores; after a\n"
    "kill the same command goes on behind the last complete shard.\n\n"
    "  --text-key NAME           the field of .jsonl that holds the text (text)\n"
    "  --document-start REGEX    where documents begin in text files (each file is one document)\n"
    "  --tokens-per-shard N      a shard ends with the document that reaches this (100000000)\n"
    "  --threads N               (as many as the machine has)\n";

constexpr std::int64_t kLeastEntries = 258;  // the bytes, BOS and EOS

struct Options {
  std::filesystem::path tokenizer;
  SourceOptions sources;
  std::string output;
  bool count = false;
  std::int64_t train = 0;  // entries of the tokenizer to train; 0: none
  std::int64_t tokens_per_shard = 0;
  int threads = 0;
};

std::int64_t parse_integer(std::string_view name, const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stopped != text.data() + text.size() || value < least || value > most) {
    fail_usage("command line: {}: expected an integer from {} to {}, got \"{}\"", name, least, most, text);
  }
  return value;
}

Options parse(Arguments arguments) {
  Options options;
  options.count = take_flag(arguments, "--count");
  options.output = take_option(arguments, "--output");
  options.sources.text_field = take_option(arguments, "--text-key", "text");
  options.sources.document_start = take_option(arguments, "--document-start");
  const std::string tokens = take_option(arguments, "--tokens-per-shard", "100000000");
  options.tokens_per_shard = parse_integer("--tokens-per-shard", tokens, 1, 2'000'000'000);
  const std::string threads =
      take_option(arguments, "--threads", std::to_string(std::max(1U, std::thread::hardware_concurrency())));
  options.threads = static_cast<int>(parse_integer("--threads", threads, 1, 4096));
  if (const std::string entries = take_option(arguments, "--train"); !entries.empty()) {
    options.train = parse_integer("--train", entries, kLeastEntries, 1 << 24);
  }
  for (const std::string& argument : arguments) {
    if (argument.starts_with("--")) {
      fail_usage("rhea tokenize: there is no option {}\n{}", argument, kUsage);
    }
  }
  if (options.train > 0) {
    if (options.output.empty() || options.count || arguments.empty()) {
      fail_usage("rhea tokenize --train: expected --output FOLDER and paths\n{}", kUsage);
    }
    options.sources.paths = std::move(arguments);
    return options;
  }
  if (arguments.size() < 2) {
    fail_usage("rhea tokenize: expected a tokenizer, and a text or paths\n{}", kUsage);
  }
  options.tokenizer = arguments.front();
  options.sources.paths.assign(arguments.begin() + 1, arguments.end());
  return options;
}

std::unique_ptr<Tokenizer> load(const std::filesystem::path& path) {
  return load_tokenizer(std::filesystem::is_directory(path / "tokenizer") ? path / "tokenizer" : path);
}

std::vector<SourceFile> text_sources(const SourceOptions& options) {
  std::vector<SourceFile> files = find_sources(options);
  if (files.front().kind == SourceKind::kTokenShard) {
    fail_usage("{}: these are tokens already", files.front().path.string());
  }
  return files;
}

// Neighbours get different backgrounds; without colour, bars stand between them.
int show(const Tokenizer& tokenizer, const std::string& text) {
  constexpr int kBackgrounds[] = {44, 42, 45, 46, 43};
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  const std::vector<std::int32_t> ids = tokenizer.encode(text);
  std::string line;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    // A token may be part of a character only: what is no UTF-8 is shown as one.
    TextStream stream;
    const std::string shown = stream.push(tokenizer.decode({&ids[i], 1})) + stream.finish();
    line += colour ? fmt::format("\x1b[30;{}m{}\x1b[0m", kBackgrounds[i % std::size(kBackgrounds)], shown)
                   : fmt::format("{}{}", i > 0 ? "|" : "", shown);
  }
  print(fmt::format("{}\n{}\n{} tokens, {} bytes\n", line, fmt::join(ids, " "), ids.size(), text.size()));
  if (tokenizer.decode(ids) != text) {
    log_warning("decoding these tokens gives another text: this tokenizer changes what it reads");
  }
  return kExitDone;
}

// Counts what is read and what is made of it.
class CountingReader : public DocumentReader {
 public:
  explicit CountingReader(DocumentReader& reader) : reader_(reader) {}
  bool next(DocumentPart& part) override {
    const bool more = reader_.next(part);
    bytes += more ? part.text.size() : 0;
    return more;
  }
  std::uint64_t bytes = 0;

 private:
  DocumentReader& reader_;
};

class CountingWriter : public TokenWriter {
 public:
  void append(std::span<const std::int32_t> ids) override { tokens += static_cast<std::int64_t>(ids.size()); }
  void end_document() override { ++documents; }
  std::int64_t tokens = 0, documents = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int count(const Tokenizer& tokenizer, const Options& options) {
  const auto files = text_sources(options.sources);
  const auto documents = open_documents(files, options.sources);
  CountingReader reader(*documents);
  CountingWriter writer;
  const auto start = std::chrono::steady_clock::now();
  const EncodingReport report = encode_corpus(reader, tokenizer, writer, options.threads);
  const double seconds = seconds_since(start);
  const auto bytes = static_cast<double>(reader.bytes);
  print(fmt::format("documents  {}\nbytes      {}\ntokens     {}, {:.3f} bytes each\n", with_thousands(writer.documents),
                    with_thousands(static_cast<std::int64_t>(reader.bytes)), with_thousands(writer.tokens),
                    bytes / static_cast<double>(std::max<std::int64_t>(writer.tokens, 1))));
  print(fmt::format("speed      {:.1f} MB/s with {} thread{}, reading included\n", bytes / 1e6 / seconds, options.threads,
                    options.threads == 1 ? "" : "s"));
  if (report.changed_texts > 0) {
    print(fmt::format("changed    {} texts are not the same when decoded\n", with_thousands(report.changed_texts)));
  }
  return kExitDone;
}

// Everything that the ids depend on, to tell shards of other work.
std::string describe_work(std::span<const SourceFile> files, const Options& options, const Tokenizer& tokenizer) {
  std::string text = fmt::format("tokenizer {:016x}, text key {}, document start {}, {} tokens a shard", tokenizer.hash(),
                                 options.sources.text_field, options.sources.document_start, options.tokens_per_shard);
  for (const SourceFile& file : files) {
    text += fmt::format(", {} ({} bytes)", file.path.filename().string(), file.size);
  }
  return text;
}

std::int32_t separator(const Tokenizer& tokenizer) {
  const auto id = tokenizer.eos_id() ? tokenizer.eos_id() : tokenizer.bos_id();
  if (!id) {
    fail_usage("the tokenizer has no EOS and no BOS token, so documents could not be told from each other in shards");
  }
  return *id;
}

int encode(const Tokenizer& tokenizer, const Options& options) {
  const auto files = text_sources(options.sources);
  ShardWriter writer({.folder = options.output,
                      .vocab_size = tokenizer.vocab_size(),
                      .separator = separator(tokenizer),
                      .tokens_per_shard = options.tokens_per_shard,
                      .work = describe_work(files, options, tokenizer)});
  const auto documents = open_documents(files, options.sources);
  if (writer.documents_done() > 0) {
    log_info("going on behind document {}", with_thousands(writer.documents_done()));
    skip_documents(*documents, writer.documents_done());
  }
  const auto start = std::chrono::steady_clock::now();
  encode_corpus(*documents, tokenizer, writer, options.threads);
  writer.close();
  return print(
      fmt::format("{} documents, {} tokens in {} shard{}, {:.1f} s; train on them with dataset.path={} tokenizer.path={}\n",
                  with_thousands(writer.num_documents()), with_thousands(writer.num_tokens()), writer.num_shards(),
                  writer.num_shards() == 1 ? "" : "s", seconds_since(start), options.output, options.tokenizer.string()));
}

int train(const Options& options) {
  const auto path = std::filesystem::path(options.output) / "tokenizer.json";
  require_writable_folder(options.output, "the folder for the tokenizer");
  if (std::filesystem::exists(path)) {
    fail_usage("{} exists already; name another folder or remove it", path.string());
  }
  const auto files = text_sources(options.sources);
  const auto start = std::chrono::steady_clock::now();
  const auto documents = open_documents(files, options.sources);
  write_file_atomically(path, train_tokenizer(*documents, {.vocab_size = options.train, .threads = options.threads}));
  return print(fmt::format("{}: {} tokens, {:.1f} s; train with tokenizer.path={}\n", path.string(),
                           with_thousands(load_tokenizer(path)->vocab_size()), seconds_since(start), options.output));
}

}  // namespace

int tokenize(const Arguments& arguments) {
  if (wants_help(arguments)) {
    return print(kUsage);
  }
  const Options options = parse(arguments);
  if (options.train > 0) {
    return train(options);
  }
  const auto tokenizer = load(options.tokenizer);
  if (options.count) {
    return count(*tokenizer, options);
  }
  return options.output.empty() ? show(*tokenizer, fmt::format("{}", fmt::join(options.sources.paths, " ")))
                                : encode(*tokenizer, options);
}

}  // namespace rhea::cli
