#include "rhea/tokenizers/word_count.h"

#include "rhea/tokenizers/pre_tokenizer.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace rhea {
namespace {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using Counts = std::unordered_map<std::string, std::int64_t, StringHash, std::equal_to<>>;

// Hands documents to threads in bundles: one lock a bundle, not one a document.
class Bundles {
 public:
  explicit Bundles(const NextText& next_text) : next_text_(next_text) {}

  bool next(std::vector<std::string>& bundle) {
    constexpr std::size_t kBundleBytes = 256 << 10;
    bundle.clear();
    const std::lock_guard lock(mutex_);
    std::string text;
    for (std::size_t bytes = 0; !done_ && bytes < kBundleBytes;) {
      done_ = true;  // stays so if next_text_ throws
      done_ = !next_text_(text);
      if (!done_) {
        bytes += text.size() + 1;
        bundle.push_back(std::move(text));
      }
    }
    return !bundle.empty();
  }

 private:
  const NextText& next_text_;
  std::mutex mutex_;
  bool done_ = false;
};

void count_bundles(Bundles& bundles, const Regex& pattern, Counts& counts) {
  Regex::Matcher matcher(pattern);
  std::vector<std::string> bundle;
  const auto count_piece = [&](std::string_view piece) {
    const auto found = counts.find(piece);
    if (found != counts.end()) {
      ++found->second;
    } else {
      counts.emplace(piece, 1);
    }
  };
  while (bundles.next(bundle)) {
    for (const std::string& text : bundle) {
      split_by_pattern(matcher, text, count_piece);
    }
  }
}

}  // namespace

std::vector<WordCount> count_words(const NextText& next_text, const Regex& pattern, int threads) {
  Bundles bundles(next_text);
  std::vector<Counts> counts(threads);
  std::vector<std::exception_ptr> errors(threads);
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&, i] {
        try {
          count_bundles(bundles, pattern, counts[i]);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) {
      std::rethrow_exception(error);
    }
  }
  for (int i = 1; i < threads; ++i) {
    for (auto& [word, count] : counts[i]) {
      counts[0][word] += count;
    }
    counts[i].clear();
  }
  std::vector<WordCount> words;
  words.reserve(counts[0].size());
  for (auto& [word, count] : counts[0]) {
    words.push_back({word, count});
  }
  std::sort(words.begin(), words.end(), [](const WordCount& a, const WordCount& b) { return a.word < b.word; });
  return words;
}

}  // namespace rhea
