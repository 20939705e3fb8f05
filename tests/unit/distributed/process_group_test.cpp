// Real Gloo groups: the ranks are threads of this process that meet through a TCP store on loopback.
#include "rhea/distributed/process_group.h"

#include "rhea/core/error.h"
#include "rhea/distributed/gloo.h"
#include "rhea/distributed/mesh.h"
#include "rhea/distributed/world.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace rhea {
namespace {

int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  bind(descriptor, reinterpret_cast<sockaddr*>(&address), length);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length);
  close(descriptor);
  return ntohs(address.sin_port);
}

void on_ranks(int size, const std::function<void(ProcessGroup&)>& body) {
  const int port = free_port();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const auto store = open_store("127.0.0.1", port, rank, size, std::chrono::seconds(60));
      body(*make_gloo_group(store, "test", rank, size, std::chrono::seconds(60)));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(ProcessGroup, CollectivesOverThreeRanks) {
  on_ranks(3, [](ProcessGroup& group) {
    EXPECT_EQ(group.size(), 3);
    EXPECT_EQ(all_reduce(group, static_cast<std::int64_t>(group.rank() + 1), ReduceOp::kSum), 6);
    EXPECT_EQ(all_reduce(group, static_cast<double>(group.rank()), ReduceOp::kMax), 2.0);
    EXPECT_EQ(all_reduce(group, static_cast<double>(group.rank()), ReduceOp::kMin), 0.0);
    at::Tensor tensor = at::full({2}, group.rank(), at::kFloat);
    group.broadcast(tensor, 1);
    EXPECT_TRUE(at::equal(tensor, at::full({2}, 1, at::kFloat)));
    group.barrier();
  });
}

TEST(ProcessGroup, SumsManyTensorsOfAnyShapeAcrossBuckets) {
  on_ranks(2, [](ProcessGroup& group) {
    // One larger than a bucket, small ones around it, one that is no contiguous piece of memory.
    std::vector<at::Tensor> tensors = {at::full({3}, 1.0), at::full({(8 << 20) + 5}, 2.0), at::full({2, 3}, 3.0),
                                       at::arange(6, at::kFloat).view({2, 3}).t()};
    all_reduce_sum(group, tensors);
    EXPECT_TRUE(at::equal(tensors[0], at::full({3}, 2.0)));
    EXPECT_TRUE(at::equal(tensors[1], at::full({(8 << 20) + 5}, 4.0)));
    EXPECT_TRUE(at::equal(tensors[2], at::full({2, 3}, 6.0)));
    EXPECT_TRUE(at::equal(tensors[3], at::arange(6, at::kFloat).view({2, 3}).t().mul(2)));
  });
}

TEST(ProcessGroup, ASingleRankNeedsNobody) {
  const auto group = single_rank_group();
  at::Tensor tensor = at::full({2}, 5.0);
  group->all_reduce(tensor, ReduceOp::kSum);
  EXPECT_TRUE(at::equal(tensor, at::full({2}, 5.0)));
  EXPECT_EQ(all_reduce(*group, 3.5, ReduceOp::kMax), 3.5);
}

class Environment {
 public:
  Environment(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const auto& [name, value] : variables) {
      setenv(name, value, 1);
      names_.push_back(name);
    }
  }
  ~Environment() {
    for (const char* name : names_) {
      unsetenv(name);
    }
  }

 private:
  std::vector<const char*> names_;
};

void expect_refusal(std::initializer_list<std::pair<const char*, const char*>> variables, const std::string& part) {
  const Environment environment(variables);
  try {
    World world({.device = "cpu"});
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(World, RefusesAWrongEnvironment) {
  expect_refusal({{"WORLD_SIZE", "two"}}, "WORLD_SIZE=two");
  expect_refusal({{"WORLD_SIZE", "0"}}, "WORLD_SIZE");
  expect_refusal({{"WORLD_SIZE", "2"}}, "RANK");
  expect_refusal({{"WORLD_SIZE", "2"}, {"RANK", "2"}}, "RANK=2");
  expect_refusal({{"WORLD_SIZE", "2"}, {"RANK", "0"}}, "MASTER_ADDR");
  expect_refusal({{"WORLD_SIZE", "2"}, {"RANK", "0"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "70000"}},
                 "MASTER_PORT=70000");
}

TEST(World, PeersThatDoNotComeAreNamed) {
  const std::string port = std::to_string(free_port());
  const Environment environment(
      {{"WORLD_SIZE", "2"}, {"RANK", "0"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", port.c_str()}});
  try {
    World world({.device = "cpu", .init_timeout = std::chrono::seconds(1)});
    FAIL() << "a group of one met two";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("comm.init_timeout_seconds"), std::string::npos) << error.what();
  }
}

TEST(Mesh, DegreesMustMultiplyToTheWorld) {
  const World world({.device = "cpu"});
  const Mesh mesh(world, {{"dp_replicate", 1}});
  EXPECT_EQ(batch_dim_info(mesh).size, 1);
  EXPECT_EQ(batch_dim_info(mesh).rank, 0);
  try {
    const Mesh wrong(world, {{"dp_replicate", 2}});
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("multiply to 2, but there are 1 ranks"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rhea
