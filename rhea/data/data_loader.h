// Rows of tokens for the training loop: documents in shuffled order, packed, cut into this rank's microbatches,
// prepared by a thread ahead of time.
//
// The stream. Each document becomes [BOS] + tokens + [EOS] as asked for; all documents of an epoch in its order, epoch
// after epoch, are one long sequence s. Row g has tokens s[g L .. g L + L - 1] and labels s[g L + 1 .. g L + L] with
// L = seq_len: neighbours share one token, so every token of s but the first is a target exactly once. With
// document_mask the first token of a document is no target (nothing that the model may look at precedes it).
//
// A step takes the next global_batch_size = world * microbatches * local_batch_size rows, whatever the ranks:
// row b of microbatch m on rank r is row step * global_batch_size + (m * world + r) * local_batch_size + b.
//
// The end (epochs > 0). The last row is filled up with padding (label -100), the last step with padding rows: all
// ranks get the same number of batches, no target is lost.
//
// One thread calls the members; next_step() rethrows what went wrong in the prefetching thread.
#pragma once

#include "rhea/data/batch.h"
#include "rhea/data/data_position.h"
#include "rhea/data/token_corpus.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace rhea {

// Which documents: a document is held out when a hash of its number says so, independent of seed and ranks.
enum class DataSide { kAll, kTraining, kHeldOut };

struct DataLoaderOptions {
  std::int64_t local_batch_size = 8;  // rows of a microbatch
  std::int64_t microbatches = 1;      // of a step on one rank
  std::int64_t seq_len = 2048;
  std::int64_t rank = 0;  // in the batch dimension
  std::int64_t world = 1;
  std::uint64_t seed = 0;
  bool shuffle = true;      // another order each epoch; false: the order of the files
  std::int64_t epochs = 0;  // 0: without end
  int prefetch = 2;         // steps prepared ahead, at least 1
  bool document_mask = false;
  std::optional<std::int32_t> bos_id;  // put before each document; none: nothing
  std::optional<std::int32_t> eos_id;  // put behind each document; none: nothing
  DataSide side = DataSide::kAll;
  double held_out_share = 0;  // of the documents, for the sides other than kAll
};

class DataLoader {
 public:
  // Throws UsageError for options that cannot be, and for a side that has no document or no target.
  DataLoader(std::shared_ptr<const TokenCorpus> corpus, const DataLoaderOptions& options);
  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;
  ~DataLoader();

  // This rank's microbatches of the next step; nothing when the epochs are over.
  std::optional<std::vector<Batch>> next_step();

  // Where the step after the last one handed out begins.
  DataPosition position() const;
  // Goes on from there; rank, world, batch sizes and seq_len may have changed since. Throws Error if data, seed,
  // shuffling, framing or side are others than those of the position.
  void seek(const DataPosition& position);
  void rewind();  // to the beginning: another validation pass

  // Seconds that next_step() has waited for data since this was last asked.
  double waited_seconds();

  std::int64_t num_documents() const;         // of this side
  std::int64_t num_tokens_per_epoch() const;  // of this side, BOS and EOS counted

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Getters for recipes. add_bos and add_eos name tokens of the tokenizer: a UsageError says so if it has none.
struct FramingOptions {
  bool add_bos = true;
  bool add_eos = true;
};
std::unique_ptr<DataLoader> build_dataloader(std::shared_ptr<const TokenCorpus> corpus, const Tokenizer& tokenizer,
                                             FramingOptions framing, DataLoaderOptions options);

// A validation pass: one epoch in file order, one microbatch a step, the same number of steps on every rank.
// Use: while (auto step = loader->next_step()) ...; loader->rewind().
std::unique_ptr<DataLoader> build_validation_loader(std::shared_ptr<const TokenCorpus> corpus, const Tokenizer& tokenizer,
                                                    FramingOptions framing, DataLoaderOptions options);

}  // namespace rhea
