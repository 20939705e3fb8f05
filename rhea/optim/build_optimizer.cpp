#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>

#include <limits>
#include <utility>

#include "rhea/core/error.h"
#include "rhea/optim/optimizer.h"

namespace rhea {
namespace {

// Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019.
class AdamW final : public Optimizer {
 public:
  AdamW(const OptimizerOptions& options, std::vector<NamedTensor> parameters)
      : Optimizer(options, std::move(parameters), {"exp_avg", "exp_avg_sq"}), options_(options) {}

 private:
  void apply(const Update& update, const at::Tensor& step, double lr) override {
    const std::vector<at::Tensor> steps(update.parameters.size(), step);
    at::_fused_adamw_(update.parameters, update.gradients, update.slots[0], update.slots[1], /*max_exp_avg_sqs=*/{}, steps, lr,
                      options_.beta1, options_.beta2, update.weight_decay, options_.eps, /*amsgrad=*/false, /*maximize=*/false);
  }

  OptimizerOptions options_;
};

class Sgd final : public Optimizer {
 public:
  Sgd(const OptimizerOptions& options, std::vector<NamedTensor> parameters)
      : Optimizer(options, std::move(parameters),
                  options.momentum == 0 ? std::vector<std::string>{} : std::vector<std::string>{"momentum"}),
        momentum_(options.momentum) {}

 private:
  void apply(const Update& update, const at::Tensor& /*step*/, double lr) override {
    // A buffer of zeros makes the first step the same as all others: momentum * 0 + gradient.
    at::_fused_sgd_(update.parameters, update.gradients, momentum_ == 0 ? std::vector<at::Tensor>{} : update.slots[0],
                    update.weight_decay, momentum_, lr, /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false,
                    /*is_first_step=*/false);
  }

  double momentum_;
};

// [0, limit), which NaN is outside of.
void require_below(const char* key, double value, double limit) {
  if (!(value >= 0 && value < limit)) {
    fail_usage("optimizer.{}: expected a number in [0, {}), found {}", key, limit, value);
  }
}

}  // namespace

std::unique_ptr<Optimizer> build_optimizer(const OptimizerOptions& options, std::vector<NamedTensor> parameters) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  require_below("beta1", options.beta1, 1);
  require_below("beta2", options.beta2, 1);
  require_below("momentum", options.momentum, 1);
  require_below("weight_decay", options.weight_decay, kUnbounded);
  require_below("eps", options.eps, kUnbounded);
  if (options.decay != "all" && options.decay != "matrices") {
    fail_usage("optimizer.decay: expected \"all\" or \"matrices\", found \"{}\"", options.decay);
  }
  if (options.name == "AdamW") {
    return std::make_unique<AdamW>(options, std::move(parameters));
  }
  if (options.name == "SGD") {
    return std::make_unique<Sgd>(options, std::move(parameters));
  }
  fail_usage("optimizer.name: expected \"AdamW\" or \"SGD\", found \"{}\"", options.name);
}

}  // namespace rhea
