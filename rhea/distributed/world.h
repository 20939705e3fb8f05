// This process among its peers: rank, size and device, from the environment that torchrun, srun, mpirun and
// `rhea run --nproc` set (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT). Without them: one rank.
#pragma once

#include "rhea/distributed/process_group.h"

#include <c10/core/Device.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace rhea {

struct WorldOptions {
  std::string device = "auto";  // auto: a GPU where libtorch sees one, else the CPU
  std::chrono::seconds init_timeout{300};
  std::chrono::seconds train_timeout{100};
};

class World {
 public:
  // Meets the other ranks. Throws UsageError for a wrong environment (a variable missing, no number, rank >= size) and
  // Error when the peers do not come within init_timeout.
  explicit World(const WorldOptions& options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int local_rank() const { return local_rank_; }
  at::Device device() const { return device_; }
  // "cpu", or the name that the driver gives: "NVIDIA H100 80GB HBM3".
  const std::string& device_name() const { return device_name_; }
  ProcessGroup& group() const { return *group_; }

  // A group of some of the ranks, called by all ranks with the groups in the same order; a member gives the ranks of its
  // own group. `name` must be unique.
  std::shared_ptr<ProcessGroup> subgroup(const std::string& name, const std::vector<int>& ranks) const;

 private:
  struct Rendezvous;
  int rank_ = 0, size_ = 1, local_rank_ = 0;
  at::Device device_;
  std::string device_name_;
  std::unique_ptr<Rendezvous> rendezvous_;
  std::shared_ptr<ProcessGroup> group_;
};

}  // namespace rhea
