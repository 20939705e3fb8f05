// Which documents of a corpus belong to training and which are held out for validation.
#pragma once

#include "rhea/data/data_loader.h"

#include <cstdint>
#include <memory>

namespace rhea {

class DocumentSide {
 public:
  // Throws UsageError if the share leaves one side without a document.
  DocumentSide(std::shared_ptr<const TokenCorpus> corpus, DataSide side, double held_out_share);

  // A hash of the document's number decides: the same for every seed, number of ranks and machine.
  bool contains(std::int64_t document) const;

  const TokenCorpus& corpus() const { return *corpus_; }
  std::int64_t num_documents() const { return num_documents_; }  // of this side
  std::int64_t num_tokens() const { return num_tokens_; }

 private:
  std::shared_ptr<const TokenCorpus> corpus_;
  DataSide side_;
  double share_;
  std::uint64_t key_;
  std::int64_t num_documents_ = 0, num_tokens_ = 0;
};

}  // namespace rhea
