// One forward and backward pass' worth of data on the device.
#pragma once

#include "rhea/models/model.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace rhea {

struct Batch;

struct Microbatch {
  ModelInputs inputs;
  at::Tensor labels;              // [batch, seq] int64, -100: not a target
  std::int64_t valid_labels = 0;  // how many are not -100
  std::int64_t num_tokens() const { return labels.numel(); }
};

// With document_mask, attention and positions keep inside each document of a packed row; without, a row is one document.
Microbatch to_microbatch(const Batch& batch, at::Device device, bool document_mask);
std::vector<Microbatch> to_microbatches(std::span<const Batch> batches, at::Device device, bool document_mask);

}  // namespace rhea
