#include "rhea/train/validate.h"

#include "rhea/core/error.h"
#include "rhea/data/data_loader.h"
#include "rhea/distributed/process_group.h"
#include "rhea/models/model.h"
#include "rhea/train/microbatch.h"

#include <c10/core/GradMode.h>

#include <chrono>

namespace rhea {

ValidationResult validate(Model& model, DataLoader& loader, std::int64_t max_steps, ProcessGroup& batch_group, at::Device device,
                          bool document_mask) {
  const c10::NoGradGuard no_grad;
  const auto start = std::chrono::steady_clock::now();
  double loss_sum = 0.0;
  std::int64_t targets = 0, tokens = 0;
  loader.rewind();
  for (std::int64_t step = 0; max_steps < 0 || step < max_steps; ++step) {
    const auto batches = loader.next_step();
    if (!batches) {
      break;
    }
    for (const Microbatch& microbatch : to_microbatches(*batches, device, document_mask)) {
      tokens += microbatch.num_tokens();
      if (microbatch.valid_labels > 0) {
        targets += microbatch.valid_labels;
        loss_sum += model.loss_sum(microbatch.inputs, microbatch.labels).item<double>();
      }
    }
  }
  ValidationResult result;
  result.targets = all_reduce(batch_group, targets, ReduceOp::kSum);
  if (result.targets == 0) {
    fail("validation: the validation set has no target; give a larger validation.share or another validation.path");
  }
  result.loss = all_reduce(batch_group, loss_sum, ReduceOp::kSum) / static_cast<double>(result.targets);
  result.tokens = all_reduce(batch_group, tokens, ReduceOp::kSum);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace rhea
