#include "rhea/data/encode_corpus.h"

#include "rhea/core/log.h"
#include "rhea/tokenizers/utf8.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace rhea {
namespace {

// Threads take bundles of documents in turn, encode them side by side, and write them in the turn they were taken in.
class Encoding {
 public:
  Encoding(DocumentReader& documents, const Tokenizer& tokenizer, TokenWriter& writer)
      : documents_(documents), tokenizer_(tokenizer), writer_(writer) {}

  void work() {
    try {
      std::vector<DocumentPart> bundle;
      for (std::uint64_t turn = 0; take(bundle, turn);) {
        std::vector<std::int32_t> ids;
        std::vector<std::size_t> ends;  // of documents, in ids
        for (const DocumentPart& part : bundle) {
          const std::size_t first = ids.size();
          tokenizer_.encode(part.text, ids);
          check(part.text, std::span(ids).subspan(first));
          if (part.ends_document) {
            ends.push_back(ids.size());
          }
        }
        write(ids, ends, turn);
      }
    } catch (...) {
      const std::lock_guard lock(write_mutex_);
      if (!error_) {
        error_ = std::current_exception();
      }
      turn_came_.notify_all();
    }
  }

  EncodingReport finish() const {
    if (error_) {
      std::rethrow_exception(error_);
    }
    if (changed_ > 0) {
      log_warning("{} texts are not the same when decoded: this tokenizer changes what it reads. One begins with {:?}",
                  changed_.load(), example_);
    }
    return {.changed_texts = changed_};
  }

 private:
  void check(std::string_view text, std::span<const std::int32_t> ids) {
    if (tokenizer_.decode(ids) == text) {
      return;
    }
    if (changed_++ == 0) {
      const std::lock_guard lock(write_mutex_);
      example_ = text.substr(0, valid_utf8_prefix(text.substr(0, 80)));
    }
  }

  bool take(std::vector<DocumentPart>& bundle, std::uint64_t& turn) {
    constexpr std::size_t kBundleBytes = std::size_t{1} << 20;
    bundle.clear();
    const std::lock_guard lock(read_mutex_);
    DocumentPart part;
    std::size_t bytes = 0;
    while (!read_all_ && bytes < kBundleBytes) {
      read_all_ = true;  // stays so if reading throws
      read_all_ = !documents_.next(part);
      if (!read_all_) {
        bytes += part.text.size() + 1;
        bundle.push_back(std::move(part));
      }
    }
    turn = taken_++;
    return !bundle.empty();
  }

  void write(std::span<const std::int32_t> ids, std::span<const std::size_t> ends, std::uint64_t turn) {
    std::unique_lock lock(write_mutex_);
    turn_came_.wait(lock, [&] { return written_ == turn || error_; });
    if (error_) {
      return;
    }
    std::size_t done = 0;
    for (const std::size_t end : ends) {
      writer_.append(ids.subspan(done, end - done));
      writer_.end_document();
      done = end;
    }
    if (done < ids.size()) {  // of a document that goes on in the next turn
      writer_.append(ids.subspan(done));
    }
    ++written_;
    turn_came_.notify_all();
  }

  DocumentReader& documents_;
  const Tokenizer& tokenizer_;
  TokenWriter& writer_;
  std::mutex read_mutex_;
  bool read_all_ = false;
  std::uint64_t taken_ = 0;
  std::mutex write_mutex_;
  std::condition_variable turn_came_;
  std::uint64_t written_ = 0;
  std::exception_ptr error_;
  std::atomic<std::int64_t> changed_ = 0;
  std::string example_;
};

}  // namespace

EncodingReport encode_corpus(DocumentReader& documents, const Tokenizer& tokenizer, TokenWriter& writer, int threads) {
  Encoding encoding(documents, tokenizer, writer);
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&] { encoding.work(); });
    }
  }
  return encoding.finish();
}

}  // namespace rhea
