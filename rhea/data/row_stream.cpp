#include "rhea/data/row_stream.h"

#include "rhea/core/error.h"
#include "rhea/core/random.h"

#include <algorithm>

namespace rhea {

RowStream::RowStream(std::shared_ptr<const DocumentSide> side, const DataLoaderOptions& options)
    : side_(std::move(side)),
      seq_len_(options.seq_len),
      epochs_(options.epochs),
      key_(stream_key(options.seed, "order of documents")),
      shuffle_(options.shuffle),
      document_mask_(options.document_mask),
      bos_id_(options.bos_id),
      eos_id_(options.eos_id) {
  open_epoch(here_);
  open_document(here_);
}

std::int64_t RowStream::tokens_per_epoch() const {
  return side_->num_tokens() + side_->num_documents() * (bos_id_.has_value() + eos_id_.has_value());
}

std::int64_t RowStream::framed_length(std::int64_t number) const {
  return side_->corpus().length(number) + bos_id_.has_value() + eos_id_.has_value();
}

void RowStream::open_epoch(Walker& walker) const {
  if (shuffle_) {
    const std::uint64_t key = stream_key(key_, std::to_string(walker.place.epoch));
    walker.order.emplace(key, static_cast<std::uint64_t>(side_->corpus().num_documents()));
  }
}

std::int64_t RowStream::number_at(const Walker& walker) const {
  const std::int64_t index = walker.place.document;
  return walker.order ? static_cast<std::int64_t>((*walker.order)(static_cast<std::uint64_t>(index))) : index;
}

// Documents of the other side keep their places in the order and are passed over, so that no list of ours is needed.
void RowStream::open_document(Walker& walker) const {
  while (!at_end(walker)) {
    if (walker.place.document == side_->corpus().num_documents()) {
      ++walker.place.epoch;
      walker.place.document = 0;
      open_epoch(walker);
      continue;
    }
    walker.number = number_at(walker);
    if (side_->contains(walker.number)) {
      walker.length = framed_length(walker.number);
      return;
    }
    ++walker.place.document;
  }
}

void RowStream::advance(Walker& walker, std::int64_t tokens) const {
  walker.place.token += tokens;
  if (walker.place.token == walker.length) {
    ++walker.place.document;
    walker.place.token = 0;
    open_document(walker);
  }
}

RowStream::Walker RowStream::last_token_of(const Walker& walker) const {
  Walker last = walker;
  last.place.token = walker.length - 1;
  return last;
}

void RowStream::seek(const Place& place) {
  Walker walker;
  walker.place = place;
  const std::int64_t documents = side_->corpus().num_documents();
  if (place.epoch < 0 || at_end(walker) || place.document < 0 || place.document >= documents || place.token < 0) {
    fail("data position: epoch {}, document {}, token {} is no place in {} documents{}", place.epoch, place.document, place.token,
         documents, epochs_ > 0 ? fmt::format(" and {} epochs", epochs_) : "");
  }
  open_epoch(walker);
  open_document(walker);
  // The first token of a document of the other side stands for the next one of ours.
  const bool moved = walker.place.document != place.document || walker.place.epoch != place.epoch;
  if (place.token > 0 && (moved || place.token >= walker.length)) {
    fail("data position: epoch {}, document {} has no token {}", place.epoch, place.document, place.token);
  }
  here_ = walker;
}

bool RowStream::ended() const {
  if (epochs_ == 0 || here_.place.epoch + 1 < epochs_ || here_.place.token + 1 < here_.length) {
    return false;
  }
  Walker next = here_;  // at the last token of a document: is there another one?
  advance(next, 1);
  return at_end(next);
}

void RowStream::skip_row() {
  if (ended()) {
    return;
  }
  Walker last;
  for (std::int64_t left = seq_len_; left > 0 && !at_end(here_);) {
    const std::int64_t count = std::min(left, here_.length - here_.place.token);
    last = last_token_of(here_);
    advance(here_, count);
    left -= count;
  }
  if (at_end(here_)) {
    here_ = last;
  }
}

void RowStream::copy_tokens(const Walker& walker, std::span<std::int64_t> out) const {
  std::int64_t first = walker.place.token;  // framed
  if (bos_id_ && first == 0) {
    out.front() = *bos_id_;
    out = out.subspan(1);
    ++first;
  }
  if (eos_id_ && first + static_cast<std::int64_t>(out.size()) == walker.length) {
    out.back() = *eos_id_;
    out = out.first(out.size() - 1);
  }
  const TokenCorpus& corpus = side_->corpus();
  corpus.tokens(walker.number).copy(first - bos_id_.has_value(), out);
  const auto foreign = std::find_if(out.begin(), out.end(), [&](std::int64_t id) { return id >= corpus.vocab_size(); });
  if (foreign != out.end()) {
    fail("{}: document {} has token {}, but the tokenizer's vocabulary ends at {}: was it made with another tokenizer?",
         corpus.name(), walker.number, *foreign, corpus.vocab_size() - 1);
  }
}

void RowStream::read_row(Batch& batch, std::int64_t row) {
  const std::span all_tokens(batch.tokens), all_labels(batch.labels);
  const auto tokens = all_tokens.subspan(row * seq_len_, seq_len_);
  const auto labels = all_labels.subspan(row * seq_len_, seq_len_);
  const auto starts = std::span(batch.document_starts).subspan(row * seq_len_, seq_len_);
  std::fill(tokens.begin(), tokens.end(), eos_id_.value_or(0));
  std::fill(labels.begin(), labels.end(), kIgnoredLabel);
  std::fill(starts.begin(), starts.end(), 0);
  if (ended()) {
    return;
  }
  tokens_.resize(static_cast<std::size_t>(seq_len_) + 1);
  Walker walker = here_, last = here_;
  std::int64_t done = 0;
  while (done <= seq_len_ && !at_end(walker)) {
    if (done == seq_len_) {  // the token that the next row begins with is this row's last target
      here_ = walker;
    }
    const std::int64_t count = std::min(seq_len_ - done + (done == seq_len_), walker.length - walker.place.token);
    copy_tokens(walker, std::span(tokens_).subspan(done, count));
    const std::int64_t in_row = std::min(done + count, seq_len_) - done;
    std::fill_n(starts.begin() + done, in_row, static_cast<std::int32_t>(done));
    const bool first_is_target = done > 0 && !(document_mask_ && walker.place.token == 0);
    for (std::int64_t i = first_is_target ? 0 : 1; i < count; ++i) {
      labels[done + i - 1] = tokens_[done + i];
      ++batch.valid_labels;
    }
    last = last_token_of(walker);
    advance(walker, count);
    done += count;
  }
  if (done <= seq_len_) {  // the end came first
    here_ = last;
    std::fill(starts.begin() + done, starts.end(), static_cast<std::int32_t>(done));
  }
  std::copy_n(tokens_.begin(), std::min(done, seq_len_), tokens.begin());
}

}  // namespace rhea
