// The same global batch, however it is cut, gives the same loss, norm and gradients.
#include "rhea/train/gradients.h"

#include "rhea/data/batch.h"
#include "rhea/distributed/gloo.h"
#include "rhea/distributed/process_group.h"
#include "rhea/models/build_model.h"
#include "rhea/optim/optimizer.h"
#include "rhea/train/losses.h"
#include "rhea/train/mixed_precision.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randint.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <thread>
#include <vector>

namespace rhea {
namespace {

constexpr std::int64_t kRows = 8, kSeqLen = 24, kVocab = 97;

std::unique_ptr<Model> small_model() {
  auto model = build_model({.flavor = "debugmodel_2l", .vocab_size = kVocab, .max_seq_len = kSeqLen});
  model->materialize(at::kCPU, 3);
  return model;
}

// Row r keeps 3 r targets of 24: from none at all to nearly all.
Microbatch whole_batch() {
  Microbatch batch;
  batch.inputs.tokens = at::randint(kVocab, {kRows, kSeqLen}, at::TensorOptions(at::kLong));
  batch.labels = at::randint(kVocab, {kRows, kSeqLen}, at::TensorOptions(at::kLong));
  for (std::int64_t row = 0; row < kRows; ++row) {
    batch.labels.select(0, row).narrow(0, 3 * row, kSeqLen - 3 * row).fill_(kIgnoredLabel);
  }
  return batch;
}

Microbatch rows_of(const Microbatch& batch, std::int64_t first, std::int64_t count) {
  Microbatch part;
  part.inputs.tokens = batch.inputs.tokens.narrow(0, first, count).clone();
  part.labels = batch.labels.narrow(0, first, count).clone();
  part.valid_labels = part.labels.ne(kIgnoredLabel).sum().item<std::int64_t>();
  return part;
}

struct Result {
  double loss = 0, norm = 0;
  std::vector<at::Tensor> gradients, weights;
};

Result step(const Microbatch& batch, std::int64_t first, std::int64_t rows, std::int64_t rows_a_microbatch, ProcessGroup& group) {
  const auto model = small_model();
  MixedPrecision precision("float32", *model, at::kCPU);
  std::vector<Microbatch> microbatches;
  for (std::int64_t row = first; row < first + rows; row += rows_a_microbatch) {
    microbatches.push_back(rows_of(batch, row, rows_a_microbatch));
  }
  const StepLosses losses = compute_gradients(*model, microbatches, group, precision);
  Result result;
  result.loss = compute_global_losses(losses, group).mean;
  result.norm = clip_gradients(*model, 0.0).item<double>();
  for (const NamedTensor& parameter : named_parameters(*model)) {
    result.gradients.push_back(parameter.tensor.grad().clone());
  }
  const auto optimizer = build_optimizer({.name = "SGD", .weight_decay = 0.1}, named_parameters(*model));
  optimizer->step(0.5);
  for (const NamedTensor& parameter : named_parameters(*model)) {
    result.weights.push_back(parameter.tensor.detach());
  }
  return result;
}

// fp32 sums of a few hundred terms in another order: some 1e-7 of the largest element.
void expect_same(const Result& a, const Result& b) {
  EXPECT_NEAR(a.loss / b.loss, 1.0, 1e-6);
  EXPECT_NEAR(a.norm / b.norm, 1.0, 1e-6);
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    const double scale = b.gradients[i].abs().max().item<double>();
    EXPECT_LE((a.gradients[i] - b.gradients[i]).abs().max().item<double>(), 1e-6 * scale + 1e-12);
    EXPECT_LE((a.weights[i] - b.weights[i]).abs().max().item<double>(), 1e-6 * b.weights[i].abs().max().item<double>());
  }
}

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

TEST(ComputeGradients, DoNotDependOnHowTheBatchIsCutIntoMicrobatches) {
  const auto alone = single_rank_group();
  const Microbatch batch = whole_batch();
  const Result whole = step(batch, 0, kRows, 8, *alone);
  expect_same(step(batch, 0, kRows, 4, *alone), whole);
  expect_same(step(batch, 0, kRows, 2, *alone), whole);
  expect_same(step(batch, 0, kRows, 1, *alone), whole);
}

TEST(ComputeGradients, DoNotDependOnHowTheBatchIsCutIntoRanks) {
  const auto alone = single_rank_group();
  const Microbatch batch = whole_batch();
  const Result whole = step(batch, 0, kRows, 8, *alone);
  const int port = free_port();
  std::vector<Result> results(2);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      at::init_num_threads();
      const auto store = open_store("127.0.0.1", port, rank, 2, std::chrono::seconds(60));
      const auto group = make_gloo_group(store, "test", rank, 2, std::chrono::seconds(60));
      results[static_cast<std::size_t>(rank)] = step(batch, 4 * rank, 4, 1, *group);
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
  expect_same(results[0], whole);
  for (std::size_t i = 0; i < whole.gradients.size(); ++i) {
    EXPECT_TRUE(at::equal(results[0].gradients[i], results[1].gradients[i])) << "ranks must hold the same bits";
  }
}

TEST(ComputeGradients, AStepWithoutTargetsGivesNoGradient) {
  const auto alone = single_rank_group();
  const auto model = small_model();
  MixedPrecision precision("float32", *model, at::kCPU);
  const std::vector<Microbatch> microbatches = {rows_of(whole_batch(), 0, 1)};  // row 0 has no target
  const StepLosses losses = compute_gradients(*model, microbatches, *alone, precision);
  EXPECT_EQ(losses.global_valid_labels, 0);
  EXPECT_EQ(clip_gradients(*model, 1.0).item<double>(), 0.0);
}

TEST(ComputeGradients, LossScalingInFp16ChangesNothingButRoundings) {
  const auto alone = single_rank_group();
  const Microbatch batch = whole_batch();
  const Result exact = step(batch, 0, kRows, 8, *alone);
  const auto model = small_model();
  MixedPrecision precision("float16", *model, at::kCPU);
  const std::vector<Microbatch> microbatches = {rows_of(batch, 0, kRows)};
  const StepLosses losses = compute_gradients(*model, microbatches, *alone, precision);
  EXPECT_FALSE(precision.found_overflow());
  // fp16 has 11 bits; some tens of roundings on the way.
  EXPECT_NEAR(compute_global_losses(losses, *alone).mean / exact.loss, 1.0, 5e-3);
  EXPECT_NEAR(clip_gradients(*model, 0.0).item<double>() / exact.norm, 1.0, 2e-2);
}

}  // namespace
}  // namespace rhea
