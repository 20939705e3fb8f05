// A group of ranks that talk to each other: collectives on a c10d process group.
//
// A group of one rank is the ordinary case: every collective is then a no-op and no library is started. Collectives
// are called by all ranks of the group in the same order, from one thread. A peer that is lost or late makes them
// throw Error within the timeout.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhea {

enum class ReduceOp { kSum, kMax, kMin };

class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // In place, on every rank; the same bits on every rank.
  virtual void all_reduce(at::Tensor& tensor, ReduceOp op) = 0;
  // Rank `root`'s tensor on every rank, in place.
  virtual void broadcast(at::Tensor& tensor, int root) = 0;
  // Returns when all have called it.
  virtual void barrier() = 0;
};

// The group of this rank alone.
std::shared_ptr<ProcessGroup> single_rank_group();

// Sums tensors over the group in place, packed into few large messages. All ranks give the same shapes in the same order.
void all_reduce_sum(ProcessGroup& group, std::vector<at::Tensor>& tensors);

// One number over the group.
double all_reduce(ProcessGroup& group, double value, ReduceOp op);
std::int64_t all_reduce(ProcessGroup& group, std::int64_t value, ReduceOp op);

}  // namespace rhea
