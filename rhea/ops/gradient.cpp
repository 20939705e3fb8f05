#include "rhea/ops/gradient.h"

#include "rhea/core/error.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/alias.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/variable.h>

namespace rhea::ops {
namespace {

using torch::autograd::variable_list;

class CustomNode : public torch::autograd::Node {
 public:
  CustomNode(const char* name, Backward backward) : name_(name), backward_(std::move(backward)) {}

  std::string name() const override { return name_; }

  void release_variables() override { backward_ = nullptr; }

 protected:
  variable_list apply(variable_list&& grad_outputs) override {
    if (!backward_) {
      fail("backward through {} a second time: its saved tensors are gone", name_);
    }
    variable_list grad_inputs = backward_(grad_outputs);
    TORCH_INTERNAL_ASSERT(grad_inputs.size() == num_outputs(), name_, " gave ", grad_inputs.size(), " gradients");
    return grad_inputs;
  }

 private:
  std::string name_;
  Backward backward_;
};

// Graph nodes are shared_ptr up to libtorch 2.12 and intrusive_ptr since.
using NodePointer = decltype(torch::autograd::Edge::function);

template <class Pointer = NodePointer>
Pointer make_node(const char* name, Backward backward) {
  if constexpr (std::is_same_v<Pointer, std::shared_ptr<torch::autograd::Node>>) {
    return std::make_shared<CustomNode>(name, std::move(backward));
  } else {
    return c10::make_intrusive<CustomNode>(name, std::move(backward));
  }
}

// The same memory as a tensor that autograd knows nothing of: an output may be a view, or even an input itself, and history
// set on those would be tangled with their own.
at::Tensor without_history(const at::Tensor& tensor) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  return at::alias(tensor);
}

}  // namespace

bool needs_gradient(at::TensorList inputs) {
  if (!at::GradMode::is_enabled()) {
    return false;
  }
  for (const at::Tensor& input : inputs) {
    if (input.defined() && input.requires_grad()) {
      return true;
    }
  }
  return false;
}

std::vector<at::Tensor> with_gradient(const char* name, at::TensorList inputs, std::vector<at::Tensor> outputs,
                                      Backward backward) {
  if (!needs_gradient(inputs)) {
    return outputs;
  }
  const NodePointer node = make_node(name, std::move(backward));
  for (const at::Tensor& input : inputs) {
    node->add_next_edge(input.defined() ? torch::autograd::impl::gradient_edge(input) : torch::autograd::Edge());
  }
  for (at::Tensor& output : outputs) {
    output = without_history(output);
    torch::autograd::set_history(output, node);
  }
  return outputs;
}

}  // namespace rhea::ops
