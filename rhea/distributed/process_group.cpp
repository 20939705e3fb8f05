#include "rhea/distributed/process_group.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

namespace rhea {
namespace {

class SingleRankGroup : public ProcessGroup {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce(at::Tensor& /*tensor*/, ReduceOp /*op*/) override {}
  void broadcast(at::Tensor& /*tensor*/, int /*root*/) override {}
  void barrier() override {}
};

// Large enough that latency does not count, small enough that the copy stays a small share of memory.
constexpr std::int64_t kBucketElements = 8 << 20;

void reduce_bucket(ProcessGroup& group, at::Tensor& buffer, const std::vector<at::Tensor>& members, std::int64_t elements) {
  std::int64_t offset = 0;
  for (const at::Tensor& tensor : members) {
    buffer.narrow(0, offset, tensor.numel()).copy_(tensor.reshape({-1}));
    offset += tensor.numel();
  }
  at::Tensor used = buffer.narrow(0, 0, elements);
  group.all_reduce(used, ReduceOp::kSum);
  offset = 0;
  for (const at::Tensor& tensor : members) {
    tensor.copy_(buffer.narrow(0, offset, tensor.numel()).view_as(tensor));
    offset += tensor.numel();
  }
}

template <class T>
T all_reduce_number(ProcessGroup& group, T value, ReduceOp op, at::ScalarType dtype) {
  at::Tensor tensor = at::full({1}, value, at::TensorOptions(dtype));
  group.all_reduce(tensor, op);
  return tensor.item<T>();
}

}  // namespace

std::shared_ptr<ProcessGroup> single_rank_group() {
  return std::make_shared<SingleRankGroup>();
}

void all_reduce_sum(ProcessGroup& group, std::vector<at::Tensor>& tensors) {
  if (group.size() == 1 || tensors.empty()) {
    return;
  }
  std::int64_t largest = 0, total = 0;
  for (const at::Tensor& tensor : tensors) {
    largest = std::max(largest, tensor.numel());
    total += tensor.numel();
  }
  at::Tensor buffer = at::empty({std::min(total, std::max(largest, kBucketElements))}, tensors.front().options());
  std::vector<at::Tensor> members;
  std::int64_t elements = 0;
  for (const at::Tensor& tensor : tensors) {
    if (elements + tensor.numel() > buffer.numel()) {
      reduce_bucket(group, buffer, members, elements);
      members.clear();
      elements = 0;
    }
    members.push_back(tensor);
    elements += tensor.numel();
  }
  reduce_bucket(group, buffer, members, elements);
}

double all_reduce(ProcessGroup& group, double value, ReduceOp op) {
  return all_reduce_number(group, value, op, at::kDouble);
}

std::int64_t all_reduce(ProcessGroup& group, std::int64_t value, ReduceOp op) {
  return all_reduce_number(group, value, op, at::kLong);
}

}  // namespace rhea
