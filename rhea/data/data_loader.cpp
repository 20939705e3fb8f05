#include "rhea/data/data_loader.h"

#include "rhea/core/error.h"
#include "rhea/data/row_stream.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace rhea {
namespace {

void check(const DataLoaderOptions& options) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;  // keeps every product below 2^63
  const auto require = [](std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most) {
      fail_usage("data loader: {} is {}; it must lie between {} and {}", name, value, least, most);
    }
  };
  require("seq_len", options.seq_len, 1, kMost);
  require("local_batch_size", options.local_batch_size, 1, kMost / options.seq_len);
  require("microbatches", options.microbatches, 1, kMost / options.local_batch_size);
  require("world", options.world, 1, kMost);
  require("rank", options.rank, 0, options.world - 1);
  require("epochs", options.epochs, 0, kMost);
  require("prefetch", options.prefetch, 1, 1024);
}

// What the rows depend on, for the comparison of a saved position with this loader.
std::string describe_stream(const TokenCorpus& corpus, const DataLoaderOptions& options) {
  const auto side = options.side == DataSide::kAll        ? std::string("all")
                    : options.side == DataSide::kTraining ? fmt::format("all but {} held out", options.held_out_share)
                                                          : fmt::format("{} held out", options.held_out_share);
  const auto token = [](std::optional<std::int32_t> id) { return id ? std::to_string(*id) : std::string("none"); };
  return fmt::format("{} documents, {} tokens (hash {:016x}), documents: {}, {}, BOS {}, EOS {}", corpus.num_documents(),
                     corpus.num_tokens(), corpus.fingerprint(), side,
                     options.shuffle ? fmt::format("shuffled by seed {}", options.seed) : "not shuffled", token(options.bos_id),
                     token(options.eos_id));
}

}  // namespace

class DataLoader::Impl {
 public:
  Impl(std::shared_ptr<const TokenCorpus> corpus, const DataLoaderOptions& options)
      : options_(options),
        description_(describe_stream(*corpus, options)),
        side_(std::make_shared<DocumentSide>(std::move(corpus), options.side, options.held_out_share)),
        rows_(side_, options) {
    const std::int64_t first_tokens = options.document_mask ? side_->num_documents() : 1;
    if (rows_.tokens_per_epoch() <= first_tokens) {
      fail_usage("{}: {} tokens in {} documents give no target to train on: every target needs a token before it{}",
                 side_->corpus().name(), rows_.tokens_per_epoch(), side_->num_documents(),
                 options.document_mask ? " in its document (document_mask)" : "");
    }
    handed_out_.stream = description_;
  }
  ~Impl() { stop(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::optional<std::vector<Batch>> next_step() {
    if (!thread_.joinable()) {
      thread_ = std::jthread([this](const std::stop_token& stop) { prefetch(stop); });
    }
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !steps_.empty() || error_ || finished_; });
    waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (steps_.empty()) {
      if (error_) {
        std::rethrow_exception(error_);
      }
      return std::nullopt;
    }
    Step step = std::move(steps_.front());
    steps_.pop_front();
    handed_out_.epoch = step.next.epoch;
    handed_out_.document = step.next.document;
    handed_out_.token = step.next.token;
    handed_out_.rows += global_batch_size();
    changed_.notify_all();
    return std::move(step.batches);
  }

  const DataPosition& position() const { return handed_out_; }

  void seek(DataPosition position) {
    if (position.stream.empty()) {
      position.stream = description_;
    }
    if (position.stream != description_) {
      fail(
          "the data position belongs to other data or options. Saved: {}. Now: {}. Restore them, give another job.dump_folder, "
          "or start "
          "the data anew (checkpoint.exclude_from_loading=data)",
          position.stream, description_);
    }
    stop();
    rows_.seek({position.epoch, position.document, position.token});
    handed_out_ = std::move(position);
  }

  double waited_seconds() { return std::exchange(waited_, 0.0); }
  const DocumentSide& side() const { return *side_; }
  std::int64_t tokens_per_epoch() const { return rows_.tokens_per_epoch(); }

 private:
  struct Step {
    std::vector<Batch> batches;
    RowStream::Place next;
  };

  std::int64_t global_batch_size() const { return options_.world * options_.microbatches * options_.local_batch_size; }

  Batch read_microbatch() {
    Batch batch;
    batch.rows = options_.local_batch_size;
    batch.seq_len = options_.seq_len;
    const auto size = static_cast<std::size_t>(batch.rows * batch.seq_len);
    batch.tokens.resize(size);
    batch.labels.resize(size);
    batch.document_starts.resize(size);
    for (std::int64_t row = 0; row < batch.rows; ++row) {
      rows_.read_row(batch, row);
    }
    return batch;
  }

  Step read_step() {
    Step step;
    for (std::int64_t m = 0; m < options_.microbatches; ++m) {
      for (std::int64_t rank = 0; rank < options_.world; ++rank) {
        if (rank == options_.rank) {
          step.batches.push_back(read_microbatch());
          continue;
        }
        for (std::int64_t row = 0; row < options_.local_batch_size; ++row) {
          rows_.skip_row();
        }
      }
    }
    step.next = rows_.place();
    return step;
  }

  // The thread's work: rows_ is its own while it runs.
  void prefetch(const std::stop_token& stop) {
    try {
      while (!stop.stop_requested() && !rows_.ended()) {
        Step step = read_step();
        std::unique_lock lock(mutex_);
        const auto has_room = [&] { return static_cast<int>(steps_.size()) < options_.prefetch; };
        if (!changed_.wait(lock, stop, has_room)) {
          return;
        }
        steps_.push_back(std::move(step));
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  }

  void stop() {
    if (thread_.joinable()) {
      thread_.request_stop();
      thread_.join();
    }
    thread_ = {};
    steps_.clear();
    error_ = nullptr;
    finished_ = false;
  }

  DataLoaderOptions options_;
  std::string description_;
  std::shared_ptr<const DocumentSide> side_;
  RowStream rows_;
  DataPosition handed_out_;
  double waited_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Step> steps_;
  std::exception_ptr error_;
  bool finished_ = false;
  std::jthread thread_;
};

DataLoader::DataLoader(std::shared_ptr<const TokenCorpus> corpus, const DataLoaderOptions& options) {
  check(options);
  impl_ = std::make_unique<Impl>(std::move(corpus), options);
}
DataLoader::~DataLoader() = default;

std::optional<std::vector<Batch>> DataLoader::next_step() {
  return impl_->next_step();
}
DataPosition DataLoader::position() const {
  return impl_->position();
}
void DataLoader::seek(const DataPosition& position) {
  impl_->seek(position);
}
void DataLoader::rewind() {
  impl_->seek({});
}
double DataLoader::waited_seconds() {
  return impl_->waited_seconds();
}
std::int64_t DataLoader::num_documents() const {
  return impl_->side().num_documents();
}
std::int64_t DataLoader::num_tokens_per_epoch() const {
  return impl_->tokens_per_epoch();
}

}  // namespace rhea
