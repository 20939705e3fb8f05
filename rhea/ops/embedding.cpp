#include "rhea/ops/embedding.h"

#include "rhea/core/error.h"
#include "rhea/ops/gradient.h"

#include <ATen/Parallel.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>

namespace rhea::ops {
namespace {

void check_tokens(const at::Tensor& tokens, std::int64_t vocab) {
  if (tokens.numel() == 0) {
    return;
  }
  const auto [low, high] = at::aminmax(tokens);
  for (const std::int64_t token : {low.item<std::int64_t>(), high.item<std::int64_t>()}) {
    if (token < 0 || token >= vocab) {
      fail("embedding: token {} is not in the vocabulary of {} entries; was the text encoded with this model's tokenizer?", token,
           vocab);
    }
  }
}

// The places of each token id, in order: place[first[id]] .. place[first[id + 1] - 1] (a counting sort).
struct Places {
  std::vector<std::int64_t> first, place;
};

Places places_of(const at::Tensor& ids, std::int64_t vocab) {
  const std::int64_t count = ids.numel();
  const std::int64_t* id = ids.const_data_ptr<std::int64_t>();
  Places places{std::vector<std::int64_t>(static_cast<std::size_t>(vocab) + 1),
                std::vector<std::int64_t>(static_cast<std::size_t>(count))};
  for (std::int64_t i = 0; i < count; ++i) {
    ++places.first[static_cast<std::size_t>(id[i]) + 1];
  }
  std::partial_sum(places.first.begin(), places.first.end(), places.first.begin());
  std::vector<std::int64_t> next = places.first;
  for (std::int64_t i = 0; i < count; ++i) {
    places.place[static_cast<std::size_t>(next[static_cast<std::size_t>(id[i])]++)] = i;
  }
  return places;
}

// Each row of the table is summed by one thread in the order of the tokens.
template <class T>
void sum_rows(const at::Tensor& grad, const at::Tensor& ids, const at::Tensor& table) {
  const std::int64_t vocab = table.size(0), dim = table.size(1);
  const Places places = places_of(ids, vocab);
  const T* rows = grad.const_data_ptr<T>();
  float* sums = table.mutable_data_ptr<float>();
  at::parallel_for(0, vocab, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t id = begin; id < end; ++id) {
      float* sum = sums + id * dim;
      for (auto at = static_cast<std::size_t>(places.first[static_cast<std::size_t>(id)]);
           at < static_cast<std::size_t>(places.first[static_cast<std::size_t>(id) + 1]); ++at) {
        const T* row = rows + places.place[at] * dim;
        for (std::int64_t i = 0; i < dim; ++i) {
          sum[i] += static_cast<float>(row[i]);
        }
      }
    }
  });
}

at::Tensor backward(const at::Tensor& grad, const at::Tensor& ids, std::int64_t vocab) {
  const std::int64_t dim = grad.size(-1);
  const at::Tensor rows = grad.reshape({-1, dim}).contiguous();
  const bool narrow = rows.scalar_type() == at::kBFloat16;
  if (!rows.is_cpu() || !(narrow || rows.scalar_type() == at::kFloat)) {
    return at::embedding_dense_backward(rows.to(at::kFloat), ids, vocab, -1, false);
  }
  at::Tensor table = at::zeros({vocab, dim}, rows.options().dtype(at::kFloat));
  narrow ? sum_rows<at::BFloat16>(rows, ids, table) : sum_rows<float>(rows, ids, table);
  return table;
}

}  // namespace

at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight, at::ScalarType dtype) {
  const std::int64_t vocab = weight.size(0), dim = weight.size(1);
  check_tokens(tokens, vocab);
  const at::Tensor ids = tokens.reshape({-1}).contiguous();
  std::vector<std::int64_t> shape = tokens.sizes().vec();
  shape.push_back(dim);
  at::Tensor y;
  {
    const c10::NoGradGuard no_grad;
    y = at::index_select(weight.detach(), 0, ids).to(dtype).view(shape);
  }
  return with_gradient("embedding", {weight}, {y}, [=](at::TensorList grad) {
    return std::vector<at::Tensor>{grad[0].defined() ? backward(grad[0], ids, vocab) : at::Tensor()};
  })[0];
}

}  // namespace rhea::ops
