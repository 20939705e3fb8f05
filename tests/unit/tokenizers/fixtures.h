// What the tokenizer tests share.
#pragma once

#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/tokenizers/tokenizer.h"
#include "rhea/tokenizers/train_bpe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rhea::test {

using Json = nlohmann::ordered_json;

// A folder that goes with the object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "rhea-tokenizers-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::unique_ptr<Tokenizer> load(const std::string& json) const {
    write_file_atomically(path_ / "tokenizer.json", json);
    return load_tokenizer(path_);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

#define EXPECT_THAT_SAYS(message, part)                                           \
  do {                                                                            \
    const std::string said = (message);                                           \
    EXPECT_NE(said.find(part), std::string::npos) << "it says instead: " << said; \
  } while (false)

// Gives the texts one by one.
inline NextText texts(std::vector<std::string> list) {
  return [list = std::move(list), next = std::size_t{0}](std::string& text) mutable {
    if (next == list.size()) {
      return false;
    }
    text = list[next++];
    return true;
  };
}

inline Json trained(const std::vector<std::string>& list, BpeTrainOptions options) {
  return Json::parse(train_bpe(texts(list), options));
}

// A plain multiplicative generator.
class Random {
 public:
  explicit Random(std::uint64_t state) : state_(state) {}
  std::uint64_t below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % n;
  }

 private:
  std::uint64_t state_;
};

}  // namespace rhea::test
