// Computing the gradients of one step, with accumulation over its microbatches.
//
// The loss is the sum of cross entropy over the valid labels of the whole step (all microbatches, all data-parallel
// ranks), divided by their number, which is counted before the first backward pass. Gradients are summed over ranks.
// So loss, gradients and norm do not depend on how the global batch is cut into microbatches and ranks.
#pragma once

#include "rhea/optim/named_tensor.h"
#include "rhea/train/microbatch.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace rhea {

class MixedPrecision;
class Model;
class ProcessGroup;

// What one step's forward passes gave, on this rank, before any reduction.
struct StepLosses {
  at::Tensor loss_sum;                   // fp32 scalar: sum of cross entropy over this rank's valid labels
  std::int64_t valid_labels = 0;         // this rank's
  std::int64_t global_valid_labels = 0;  // of all ranks; 0: the step changes nothing
  std::int64_t tokens = 0;               // processed by this rank, targets or not
};

// Leaves the whole step's gradients in every parameter's .grad(), the same on every rank; earlier ones are cleared.
// Memory does not grow with the number of microbatches.
StepLosses compute_gradients(Model& model, std::span<const Microbatch> microbatches, ProcessGroup& batch_group,
                             MixedPrecision& precision);

// The model's parameters as the optimizer and the checkpoints address them.
std::vector<NamedTensor> named_parameters(const Model& model);

// Scales the gradients so that their norm over all parameters is at most max_norm (0: only measures); gives the norm
// before that. norm_type: 2 or infinity.
at::Tensor clip_gradients(Model& model, double max_norm, double norm_type = 2.0);

}  // namespace rhea
