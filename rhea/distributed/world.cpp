#include "rhea/distributed/world.h"

#include "rhea/core/error.h"
#include "rhea/core/log.h"
#include "rhea/distributed/gloo.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace rhea {
namespace {

std::optional<int> integer_from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') {
    return std::nullopt;
  }
  int value = 0;
  const std::string_view view(text);
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc() || end != view.data() + view.size() || value < 0) {
    fail_usage("environment: {}={} is no number of at least 0", name, view);
  }
  return value;
}

int required_integer(const char* name, int size) {
  const auto value = integer_from_environment(name);
  if (!value) {
    fail_usage("environment: WORLD_SIZE={} needs {} too (torchrun, srun or `rhea run --nproc N` set it)", size, name);
  }
  return *value;
}

at::Device choose_device(const std::string& wanted, int local_rank) {
  const int count = at::globalContext().hasCUDA() ? static_cast<int>(at::detail::getCUDAHooks().deviceCount()) : 0;
  const bool has_cuda = count > 0;
  if (wanted == "cpu" || (wanted == "auto" && !has_cuda)) {
    return at::kCPU;
  }
  if (!has_cuda) {
    fail_usage("job.device = \"cuda\": libtorch sees no GPU here (rhea doctor says more); use \"cpu\" or \"auto\"");
  }
  if (local_rank >= count) {
    fail_usage("local rank {} has no GPU of its own: {} are visible; start at most {} ranks a machine", local_rank, count, count);
  }
  return {at::kCUDA, static_cast<at::DeviceIndex>(local_rank)};
}

// The driver lists its GPUs there; the machines that we know hold one kind each.
std::string name_of_gpu() {
  std::error_code error;
  for (const auto& gpu : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    std::ifstream information(gpu.path() / "information");
    for (std::string line; std::getline(information, line);) {
      if (line.starts_with("Model:")) {
        const auto start = line.find_first_not_of(" \t", std::string_view("Model:").size());
        return start == std::string::npos ? "cuda" : line.substr(start);
      }
    }
  }
  return "cuda";
}

}  // namespace

struct World::Rendezvous {
  std::shared_ptr<c10d::Store> store;
  std::chrono::seconds train_timeout;
};

World::World(const WorldOptions& options) : device_(at::kCPU) {
  size_ = integer_from_environment("WORLD_SIZE").value_or(1);
  if (size_ < 1) {
    fail_usage("environment: WORLD_SIZE must be at least 1");
  }
  rank_ = size_ > 1 ? required_integer("RANK", size_) : 0;
  local_rank_ = integer_from_environment("LOCAL_RANK").value_or(0);
  if (rank_ >= size_) {
    fail_usage("environment: RANK={} is not below WORLD_SIZE={}", rank_, size_);
  }
  set_log_rank(rank_);
  device_ = choose_device(options.device, local_rank_);
  device_name_ = device_.is_cpu() ? "cpu" : name_of_gpu();
  if (size_ == 1) {
    group_ = single_rank_group();
    return;
  }
  const char* address = std::getenv("MASTER_ADDR");
  if (address == nullptr) {
    fail_usage("environment: WORLD_SIZE={} needs MASTER_ADDR too: the host name of rank 0", size_);
  }
  const int port = required_integer("MASTER_PORT", size_);
  if (port < 1 || port > 65535) {
    fail_usage("environment: MASTER_PORT={} is no port (1 to 65535)", port);
  }
  rendezvous_ = std::make_unique<Rendezvous>();
  rendezvous_->store = open_store(address, port, rank_, size_, options.init_timeout);
  rendezvous_->train_timeout = options.train_timeout;
  group_ = make_gloo_group(rendezvous_->store, "world", rank_, size_, options.train_timeout);
}

World::~World() = default;

std::shared_ptr<ProcessGroup> World::subgroup(const std::string& name, const std::vector<int>& ranks) const {
  if (ranks.size() == 1) {
    return single_rank_group();
  }
  if (static_cast<int>(ranks.size()) == size_) {
    return group_;
  }
  const auto place = static_cast<int>(std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin());
  return make_gloo_group(rendezvous_->store, name, place, static_cast<int>(ranks.size()), rendezvous_->train_timeout);
}

}  // namespace rhea
