// The endless sequence of tokens that data_loader.h describes, row by row.
//
// Rows that belong to other ranks are skipped by the lengths of their documents, without reading a token.
#pragma once

#include "rhea/data/batch.h"
#include "rhea/data/document_side.h"
#include "rhea/data/permutation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rhea {

class RowStream {
 public:
  // The place of a token. `document` is its index in the epoch's order.
  struct Place {
    std::int64_t epoch = 0, document = 0, token = 0;
  };

  // Uses seq_len, seed, shuffle, epochs, document_mask, bos_id and eos_id.
  RowStream(std::shared_ptr<const DocumentSide> side, const DataLoaderOptions& options);

  // Where the next row begins; at the end of the last epoch that is its last token, so that more epochs can follow.
  Place place() const { return here_.place; }
  // Throws Error if there is no such place.
  void seek(const Place& place);

  // True when no target is left.
  bool ended() const;
  // Passes over the next row. What is left at the end may be less than a row.
  void skip_row();
  // Writes the next row into row `row` of the batch, padded if less is left, and counts its labels. Nothing but padding
  // when the stream has ended.
  void read_row(Batch& batch, std::int64_t row);

  std::int64_t tokens_per_epoch() const;

 private:
  // A place together with what the walk needs to know about its document.
  struct Walker {
    Place place;
    std::int64_t number = 0;  // of the document in the corpus
    std::int64_t length = 0;  // framed
    std::optional<Permutation> order;
  };

  void open_epoch(Walker& walker) const;
  void open_document(Walker& walker) const;  // at or after the place, of this side
  bool at_end(const Walker& walker) const { return epochs_ > 0 && walker.place.epoch >= epochs_; }
  std::int64_t number_at(const Walker& walker) const;
  std::int64_t framed_length(std::int64_t number) const;
  void advance(Walker& walker, std::int64_t tokens) const;  // within the document or to the begin of the next one
  Walker last_token_of(const Walker& walker) const;         // of its document
  void copy_tokens(const Walker& walker, std::span<std::int64_t> out) const;

  std::shared_ptr<const DocumentSide> side_;
  std::int64_t seq_len_, epochs_;
  std::uint64_t key_;
  bool shuffle_, document_mask_;
  std::optional<std::int32_t> bos_id_, eos_id_;
  Walker here_;
  std::vector<std::int64_t> tokens_;  // of one row and the token after it
};

}  // namespace rhea
