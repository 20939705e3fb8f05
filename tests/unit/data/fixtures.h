// What the data tests share: a folder of their own, files in it, corpora made in code.
#pragma once

#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/data/token_corpus.h"
#include "rhea/data/token_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rhea::test {

// An empty folder that goes with the object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "rhea-data-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string write(const std::string& name, std::string_view bytes) const {
    write_file_atomically(path_ / name, bytes);
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

// The message of the Error that `act` throws; a failed expectation if it throws none.
inline std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

#define EXPECT_SAYS(act, part) EXPECT_THAT_SAYS(::rhea::test::message_of([&] { act; }), part)
#define EXPECT_THAT_SAYS(message, part)                                           \
  do {                                                                            \
    const std::string said = (message);                                           \
    EXPECT_NE(said.find(part), std::string::npos) << "it says instead: " << said; \
  } while (false)

using Documents = std::vector<std::vector<std::int32_t>>;

inline std::shared_ptr<const TokenCorpus> make_corpus(const Folder& folder, const Documents& documents, std::int64_t vocab_size) {
  const auto path = folder / "corpus.tokens";
  TokenFileWriter writer(path, vocab_size, 1);
  for (const auto& document : documents) {
    writer.append(document);
    writer.end_document();
  }
  writer.close();
  std::vector<std::unique_ptr<const TokenFile>> files;
  files.push_back(TokenFile::open_cached(path, 1));
  return std::make_shared<TokenCorpus>("corpus", vocab_size, std::move(files));
}

// Documents of lengths 1..longest whose tokens are all different: 100, 101, ...
inline Documents distinct_documents(std::int64_t count, std::uint64_t key, std::int64_t longest) {
  Documents documents(count);
  std::int32_t next = 100;
  for (std::int64_t i = 0; i < count; ++i) {
    // A plain multiplicative generator: the tests' own, so that they do not test the library with itself.
    key = key * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto length = 1 + (key >> 33) % static_cast<std::uint64_t>(longest);
    for (std::uint64_t j = 0; j < length; ++j) {
      documents[i].push_back(next++);
    }
  }
  return documents;
}

}  // namespace rhea::test
