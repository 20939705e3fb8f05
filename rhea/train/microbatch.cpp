#include "rhea/train/microbatch.h"

#include "rhea/data/batch.h"

#include <ATen/ops/from_blob.h>

namespace rhea {
namespace {

template <class T>
at::Tensor to_tensor(const std::vector<T>& values, const Batch& batch, at::ScalarType dtype, at::Device device) {
  // from_blob takes a mutable pointer although nothing writes through it here; the copy owns its memory.
  auto* data = const_cast<T*>(values.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return at::from_blob(data, {batch.rows, batch.seq_len}, at::TensorOptions(dtype))
      .to(device, dtype, /*non_blocking=*/false, /*copy=*/true);
}

}  // namespace

Microbatch to_microbatch(const Batch& batch, at::Device device, bool document_mask) {
  Microbatch microbatch;
  microbatch.inputs.tokens = to_tensor(batch.tokens, batch, at::kLong, device);
  if (document_mask) {
    microbatch.inputs.document_starts = to_tensor(batch.document_starts, batch, at::kInt, device);
  }
  microbatch.labels = to_tensor(batch.labels, batch, at::kLong, device);
  microbatch.valid_labels = batch.valid_labels;
  return microbatch;
}

std::vector<Microbatch> to_microbatches(std::span<const Batch> batches, at::Device device, bool document_mask) {
  std::vector<Microbatch> microbatches;
  microbatches.reserve(batches.size());
  for (const Batch& batch : batches) {
    microbatches.push_back(to_microbatch(batch, device, document_mask));
  }
  return microbatches;
}

}  // namespace rhea
