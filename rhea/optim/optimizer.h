// Optimizers: AdamW and SGD on PyTorch's fused kernels, one pass over memory a step.
//
//   auto optimizer = build_optimizer({.name = "AdamW", .weight_decay = 0.1}, parameters);
//   loss.backward();
//   optimizer->step(schedule.factor(step) * peak_lr);
//   optimizer->zero_grad();
//
// Parameters are contiguous fp32 leaves, all on one device; their gradients are fp32. State lives on that device and is
// allocated at construction. Results are the same bits every time on one machine with one number of threads.
// One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rhea/optim/named_tensor.h"

namespace rhea {

struct OptimizerOptions {
  std::string name = "AdamW";  // "AdamW" or "SGD"
  double beta1 = 0.9;          // AdamW: decay of the first moment, [0, 1)
  double beta2 = 0.95;         // AdamW: decay of the second moment, [0, 1)
  double eps = 1e-8;           // AdamW: added to the root of the second moment
  double weight_decay = 0.1;   // AdamW: decoupled (times lr); SGD: added to the gradient
  std::string decay = "all";   // which parameters decay: "all", or "matrices" (two dimensions and more)
  double momentum = 0.0;       // SGD: 0 keeps no state
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // One update of every parameter that has a gradient; the others keep their value and state.
  void step(double lr);

  // Drops all gradients and their memory.
  void zero_grad();

  // The live state by name: "step" (a scalar, fp32: updates made so far) and "<parameter>.exp_avg",
  // "<parameter>.exp_avg_sq" (AdamW) or "<parameter>.momentum" (SGD), shaped as the parameter.
  TensorMap state() const;

  // Copies a saved state in, all or nothing. An Error lists everything missing, unexpected or of another shape.
  void load_state(const TensorMap& saved);

 protected:
  // Parameters that share one weight decay, side by side with their state.
  struct Group {
    double weight_decay = 0;
    std::vector<NamedTensor> parameters;
    std::vector<std::vector<at::Tensor>> slots;  // [slot][parameter], slot as in slot_names
  };

  Optimizer(const OptimizerOptions& options, std::vector<NamedTensor> parameters, std::vector<std::string> slot_names);

  // What of a group has a gradient in this step.
  struct Update {
    double weight_decay = 0;
    std::vector<at::Tensor> parameters, gradients;
    std::vector<std::vector<at::Tensor>> slots;
  };
  virtual void apply(const Update& update, const at::Tensor& step, double lr) = 0;

 private:
  std::vector<NamedTensor> named_state() const;

  std::vector<std::string> slot_names_;
  std::vector<Group> groups_;
  at::Tensor step_;
};

// Checks the options (UsageError naming the key of the [optimizer] section) and builds what `options.name` says.
std::unique_ptr<Optimizer> build_optimizer(const OptimizerOptions& options, std::vector<NamedTensor> parameters);

}  // namespace rhea
