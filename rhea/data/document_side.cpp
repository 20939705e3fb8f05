#include "rhea/data/document_side.h"

#include "rhea/core/error.h"
#include "rhea/core/random.h"

namespace rhea {

DocumentSide::DocumentSide(std::shared_ptr<const TokenCorpus> corpus, DataSide side, double held_out_share)
    : corpus_(std::move(corpus)), side_(side), share_(held_out_share), key_(stream_key(0, "held-out documents")) {
  if (side_ != DataSide::kAll && !(share_ > 0 && share_ < 1)) {
    fail_usage("a held-out share of {}: it must lie between 0 and 1", share_);
  }
  for (std::int64_t i = 0; i < corpus_->num_documents(); ++i) {
    if (contains(i)) {
      ++num_documents_;
      num_tokens_ += corpus_->length(i);
    }
  }
  const bool has_other = side_ == DataSide::kAll || num_documents_ < corpus_->num_documents();
  if (num_documents_ == 0 || !has_other) {
    const bool none_held_out = (num_documents_ == 0) == (side_ == DataSide::kHeldOut);
    fail_usage(
        "{}: a held-out share of {} of {} documents leaves none for {}: use another share, more documents (cut text into them), "
        "or a validation set of its own",
        corpus_->name(), share_, corpus_->num_documents(), none_held_out ? "validation" : "training");
  }
}

bool DocumentSide::contains(std::int64_t document) const {
  if (side_ == DataSide::kAll) {
    return true;
  }
  const bool held_out = uniform(key_, static_cast<std::uint64_t>(document)) < share_;
  return held_out == (side_ == DataSide::kHeldOut);
}

}  // namespace rhea
