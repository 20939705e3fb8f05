// Debian's gloo headers are older than the Gloo inside libtorch. They are only named here, never instantiated: a class of
// gloo's that this file constructed would get a vtable of another layout (tests/unit/distributed checks that none is).
#include "rhea/distributed/gloo.h"

#include "rhea/core/error.h"

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace rhea {
namespace {

class GlooGroup : public ProcessGroup {
 public:
  GlooGroup(c10::intrusive_ptr<c10d::ProcessGroupGloo> backend, std::string name)
      : backend_(std::move(backend)), name_(std::move(name)) {}

  int rank() const override { return backend_->getRank(); }
  int size() const override { return backend_->getSize(); }

  void all_reduce(at::Tensor& tensor, ReduceOp op) override {
    std::vector<at::Tensor> tensors = {tensor};
    c10d::AllreduceOptions options;
    options.reduceOp = op == ReduceOp::kSum   ? c10d::ReduceOp::SUM
                       : op == ReduceOp::kMax ? c10d::ReduceOp::MAX
                                              : c10d::ReduceOp::MIN;
    finish("all-reduce", [&] { return backend_->allreduce(tensors, options); });
  }

  void broadcast(at::Tensor& tensor, int root) override {
    std::vector<at::Tensor> tensors = {tensor};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    finish("broadcast", [&] { return backend_->broadcast(tensors, options); });
  }

  void barrier() override {
    finish("barrier", [&] { return backend_->barrier(c10d::BarrierOptions()); });
  }

 private:
  template <class Start>
  void finish(std::string_view what, const Start& start) {
    try {
      start()->wait();
    } catch (const c10::Error& error) {
      fail("{} over {} of {} ranks failed: {}. Another rank was lost or did not come within comm.train_timeout_seconds.", what,
           name_, size(), error.what_without_backtrace());
    } catch (const std::exception& error) {
      fail("{} over {} of {} ranks failed: {}. Another rank was lost or did not come within comm.train_timeout_seconds.", what,
           name_, size(), error.what());
    }
  }

  c10::intrusive_ptr<c10d::ProcessGroupGloo> backend_;
  std::string name_;
};

// torchrun's agent serves the store itself and says so; a restarted job must not see the keys of the one before.
bool agent_serves_store() {
  const char* value = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  return value != nullptr && std::string_view(value) == "True";
}

std::string restart_prefix() {
  const char* count = std::getenv("TORCHELASTIC_RESTART_COUNT");
  return fmt::format("rhea/{}", count != nullptr ? count : "0");
}

}  // namespace

std::shared_ptr<c10d::Store> open_store(const std::string& address, int port, int rank, int size, std::chrono::seconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(port);
  options.isServer = rank == 0 && !agent_serves_store();
  options.waitWorkers = false;
  options.timeout = timeout;
  try {
    auto tcp = c10::make_intrusive<c10d::TCPStore>(address, options);
    auto store = c10::make_intrusive<c10d::PrefixStore>(restart_prefix(), tcp);
    const std::int64_t arrived = store->add("arrived", 1);
    if (arrived == size) {
      store->set("all_arrived", std::vector<std::uint8_t>{1});
    }
    store->wait({"all_arrived"}, timeout);
    c10d::Store* plain = store.get();
    return {plain, [keep = std::move(store)](c10d::Store*) {}};
  } catch (const std::exception& error) {
    const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
    fail("rank {} of {}: the ranks did not all meet at {}:{} within {} s (comm.init_timeout_seconds): {}", rank, size, address,
         port, timeout.count(), torch_error != nullptr ? torch_error->what_without_backtrace() : error.what());
  }
}

std::shared_ptr<ProcessGroup> make_gloo_group(const std::shared_ptr<c10d::Store>& store, const std::string& name, int rank,
                                              int size, std::chrono::seconds timeout) {
  const auto shared = c10::intrusive_ptr<c10d::Store>::reclaim_copy(store.get());
  auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  options->devices.push_back(c10d::ProcessGroupGloo::createDefaultDevice());
  auto prefixed = c10::make_intrusive<c10d::PrefixStore>(name, shared);
  return std::make_shared<GlooGroup>(c10::make_intrusive<c10d::ProcessGroupGloo>(prefixed, rank, size, options), name);
}

}  // namespace rhea
