// Attention backward: probabilities are made again from the log-sum-exp (Dao et al. 2022, FlashAttention, algorithm 4).
//
// With P = softmax of the scores and D_i = grad_output_i . output_i:
//   grad_V = P^T grad_O,  dS = P o (grad_O V^T - D),  grad_Q = dS K / sqrt(d),  grad_K = dS^T Q / sqrt(d)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rhea/ops/cpu/attention_backward.cpp"
#include <hwy/foreach_target.h>
#include "rhea/ops/cpu/targets.h"
// clang-format off: foreach_target.h comes first
#include "rhea/ops/cpu/attention_tiles-inl.h"
// clang-format on

#include <cmath>
#include <numbers>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace rhea::ops::cpu {
namespace HWY_NAMESPACE {

// A row of padding: its probabilities are 2^(0 - kPadding) = 0.
constexpr float kPadding = 1e30F;

template <class T>
class Backward {
 public:
  Backward(const AttentionBackward<T>& problem, float* scratch)
      : problem_(problem), panels_(padded(problem.head_dim, kPanel) / kPanel), rows_(padded(problem.seq, kBlock)) {
    const std::int64_t whole = rows_ * panels_ * kPanel, block = kBlock * panels_ * kPanel;
    float* next = scratch;
    const auto take = [&next](std::int64_t count) { return std::exchange(next, next + count); };
    for (float** matrix : {&queries_, &grad_outputs_, &grad_queries_, &grad_keys_, &grad_values_}) {
      *matrix = take(whole);
    }
    for (float** matrix : {&keys_, &keys_transposed_, &values_transposed_}) {
      *matrix = take(block);
    }
    log_sum_exp_ = take(rows_);
    deltas_ = take(rows_);
    probabilities_ = take(kBlock * kBlock);
    grad_scores_ = take(kBlock * kBlock);
  }

  void run() {
    std::fill_n(grad_keys_, rows_ * panels_ * kPanel, 0.0F);
    std::fill_n(grad_values_, rows_ * panels_ * kPanel, 0.0F);
    for (std::int64_t head = 0; head < problem_.group; ++head) {
      run_head(head);
    }
    // Queries were packed with log2(e) / sqrt(d), of which log2(e) does not belong into the gradient.
    write(grad_keys_, std::numbers::ln2_v<float>, problem_.grad_key, 0);
    write(grad_values_, 1.0F, problem_.grad_value, 0);
  }

 private:
  void run_head(std::int64_t head) {
    const AttentionBackward<T>& p = problem_;
    const float scale = 1.0F / std::sqrt(static_cast<float>(p.head_dim));
    pack_rows(p.query.data + head * p.query.head_stride, p.query.row_stride, p.seq, rows_, p.head_dim,
              scale * std::numbers::log2e_v<float>, queries_);
    pack_rows(p.grad_output.data + head * p.grad_output.head_stride, p.grad_output.row_stride, p.seq, rows_, p.head_dim, 1.0F,
              grad_outputs_);
    prepare_rows(head);
    std::fill_n(grad_queries_, rows_ * panels_ * kPanel, 0.0F);
    for (std::int64_t key = 0; key < p.seq; key += kBlock) {
      prepare_keys(key);
      for (std::int64_t query = key; query < p.seq; query += kBlock) {
        // Documents only ever start later: the first block of queries beyond this one's ends the column.
        if (first_key(p.document_starts, query, p.seq) >= key + kBlock) {
          break;
        }
        run_block(query, key);
      }
    }
    write(grad_queries_, scale, p.grad_query, head);
  }

  void prepare_rows(std::int64_t head) {
    const AttentionBackward<T>& p = problem_;
    const float* log_sum_exp = p.log_sum_exp + head * p.seq;
    std::copy(log_sum_exp, log_sum_exp + p.seq, log_sum_exp_);
    std::fill(log_sum_exp_ + p.seq, log_sum_exp_ + rows_, kPadding);
    std::fill(deltas_ + p.seq, deltas_ + rows_, 0.0F);
    // `grad_queries_` is free until the blocks run.
    pack_rows(p.output.data + head * p.output.head_stride, p.output.row_stride, p.seq, rows_, p.head_dim, 1.0F, grad_queries_);
    const Lane d;
    for (std::int64_t t = 0; t < p.seq; ++t) {
      Vec sum = hn::Zero(d);
      for (std::int64_t panel = 0; panel < panels_; ++panel) {
        for (int v = 0; v < kVectors; ++v) {
          const std::int64_t at = (panel * rows_ + t) * kPanel + v * kLanes;
          sum = hn::MulAdd(hn::Load(d, grad_queries_ + at), hn::Load(d, grad_outputs_ + at), sum);
        }
      }
      deltas_[t] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }

  void prepare_keys(std::int64_t key) {
    const AttentionBackward<T>& p = problem_;
    const std::int64_t count = std::min<std::int64_t>(kBlock, p.seq - key);
    // `keys_` is working space until the values are transposed.
    pack_rows(p.value.data + key * p.value.row_stride, p.value.row_stride, count, kBlock, p.head_dim, 1.0F, keys_);
    transpose_panels(keys_, kBlock, panels_, values_transposed_);
    pack_rows(p.key.data + key * p.key.row_stride, p.key.row_stride, count, kBlock, p.head_dim, 1.0F, keys_);
    transpose_panels(keys_, kBlock, panels_, keys_transposed_);
  }

  void run_block(std::int64_t query, std::int64_t key) {
    make_probabilities(query);
    if (query == key || first_key(problem_.document_starts, query + kBlock - 1, problem_.seq) > key) {
      mask_probabilities(query, key);
    }
    make_grad_scores(query);
    Tile tile;
    for (std::int64_t p = 0; p < panels_; ++p) {
      const std::int64_t query_at = (p * rows_ + query) * kPanel, key_at = (p * rows_ + key) * kPanel;
      for (int r = 0; r < kBlock; r += kTile) {
        accumulate<1, kBlock>(tile, probabilities_ + r, grad_outputs_ + query_at, grad_values_ + key_at + r * kPanel);
      }
      for (int r = 0; r < kBlock; r += kTile) {
        accumulate<1, kBlock>(tile, grad_scores_ + r, queries_ + query_at, grad_keys_ + key_at + r * kPanel);
      }
      for (int r = 0; r < kBlock; r += kTile) {
        accumulate<kBlock, 1>(tile, grad_scores_ + r * kBlock, keys_ + p * kBlock * kPanel,
                              grad_queries_ + query_at + r * kPanel);
      }
    }
  }

  template <int kRowStride, int kStepStride>
  static HWY_INLINE void accumulate(Tile& tile, const float* a, const float* b, float* c) {
    load(tile, c);
    multiply_add<kRowStride, kStepStride>(tile, a, b, kBlock);
    store<kPanel>(tile, c);
  }

  void make_probabilities(std::int64_t query) {
    const Lane d;
    Tile tile;
    for (int r = 0; r < kBlock; r += kTile) {
      for (int c = 0; c < kBlock; c += kPanel) {
        dot_tile(tile, queries_ + (query + r) * kPanel, rows_ * kPanel, keys_transposed_ + c * panels_ * kPanel, panels_);
#pragma GCC unroll 12
        for (int i = 0; i < kTile; ++i) {
          const Vec normalizer = hn::Set(d, log_sum_exp_[query + r + i]);
#pragma GCC unroll 16
          for (int v = 0; v < kVectors; ++v) {
            tile.sums[i][v] = exp2(d, hn::Sub(tile.sums[i][v], normalizer));
          }
        }
        store<kBlock>(tile, probabilities_ + r * kBlock + c);
      }
    }
  }

  void mask_probabilities(std::int64_t query, std::int64_t key) {
    for (std::int64_t r = 0; r < kBlock; ++r) {
      float* row = probabilities_ + r * kBlock;
      const std::int64_t start = first_key(problem_.document_starts, query + r, problem_.seq) - key;
      std::fill(row, row + std::clamp<std::int64_t>(start, 0, kBlock), 0.0F);
      std::fill(row + std::clamp<std::int64_t>(query + r + 1 - key, 0, kBlock), row + kBlock, 0.0F);
    }
  }

  void make_grad_scores(std::int64_t query) {
    const Lane d;
    Tile tile;
    for (int r = 0; r < kBlock; r += kTile) {
      for (int c = 0; c < kBlock; c += kPanel) {
        dot_tile(tile, grad_outputs_ + (query + r) * kPanel, rows_ * kPanel, values_transposed_ + c * panels_ * kPanel, panels_);
        const float* probabilities = probabilities_ + r * kBlock + c;
#pragma GCC unroll 12
        for (int i = 0; i < kTile; ++i) {
          const Vec delta = hn::Set(d, deltas_[query + r + i]);
#pragma GCC unroll 16
          for (int v = 0; v < kVectors; ++v) {
            const Vec p = hn::Load(d, probabilities + i * kBlock + v * kLanes);
            tile.sums[i][v] = hn::Mul(p, hn::Sub(tile.sums[i][v], delta));
          }
        }
        store<kBlock>(tile, grad_scores_ + r * kBlock + c);
      }
    }
  }

  void write(const float* packed, float scale, const HeadRows<T>& to, std::int64_t head) {
    unpack_rows(packed, problem_.seq, rows_, problem_.head_dim, &scale, 0, to.data + head * to.head_stride, to.row_stride);
  }

  const AttentionBackward<T>& problem_;
  const std::int64_t panels_, rows_;
  float *queries_, *grad_outputs_, *grad_queries_;       // of one head, packed
  float *grad_keys_, *grad_values_;                      // summed over the group, packed
  float *keys_, *keys_transposed_, *values_transposed_;  // of one block
  float *log_sum_exp_, *deltas_;                         // [rows]
  float *probabilities_, *grad_scores_;                  // [kBlock queries][kBlock keys]
};

void backward_floats(const AttentionBackward<float>& problem, float* scratch) {
  Backward<float>(problem, scratch).run();
}

void backward_bfloat16s(const AttentionBackward<BFloat16>& problem, float* scratch) {
  Backward<BFloat16>(problem, scratch).run();
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace rhea::ops::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rhea::ops::cpu {

HWY_EXPORT(backward_floats);
HWY_EXPORT(backward_bfloat16s);

std::int64_t attention_backward_scratch(std::int64_t seq, std::int64_t head_dim) {
  const std::int64_t width = padded(head_dim, kPanel), rows = padded(seq, kBlock);
  return 5 * rows * width + 3 * kBlock * width + 2 * rows + 2 * kBlock * kBlock;
}

template <>
void attention_backward(const AttentionBackward<float>& problem, float* scratch) {
  HWY_DYNAMIC_DISPATCH(backward_floats)(problem, scratch);
}

template <>
void attention_backward(const AttentionBackward<BFloat16>& problem, float* scratch) {
  HWY_DYNAMIC_DISPATCH(backward_bfloat16s)(problem, scratch);
}

}  // namespace rhea::ops::cpu
#endif
