// Attention forward with a running softmax (Dao et al. 2022, FlashAttention, algorithm 1), to base 2.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rhea/ops/cpu/attention_forward.cpp"
#include <hwy/foreach_target.h>
#include "rhea/ops/cpu/targets.h"
// clang-format off: foreach_target.h comes first
#include "rhea/ops/cpu/attention_tiles-inl.h"
// clang-format on

#include <cmath>
#include <limits>
#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace rhea::ops::cpu {
namespace HWY_NAMESPACE {

// What is known of kBlock queries so far. Scores are finite, so a maximum of kNothing says that no key was seen.
constexpr float kNothing = -1e30F;

struct Running {
  HWY_ALIGN float maxima[kBlock];
  HWY_ALIGN float sums[kBlock][kLanes];  // of the exponentials, a partial sum a lane
};

struct KeyRange {
  std::int64_t begin, end;
};

// Keys that a tile of queries sees inside of [begin, end), in whole panels.
template <class T>
KeyRange visible_keys(const AttentionForward<T>& problem, std::int64_t first_query, std::int64_t begin, std::int64_t end) {
  const std::int64_t start = first_key(problem.document_starts, first_query, problem.seq) / kPanel * kPanel;
  return {std::max(begin, start), std::min<std::int64_t>(end, padded(first_query + kTile, kPanel))};
}

// Hides from each query the keys after it and before its document.
template <class T>
void mask_scores(const AttentionForward<T>& problem, std::int64_t first_query, const KeyRange& keys, float* scores) {
  const float hidden = -std::numeric_limits<float>::infinity();
  for (int r = 0; r < kTile; ++r) {
    const std::int64_t t = first_query + r, start = first_key(problem.document_starts, t, problem.seq);
    float* row = scores + r * kChunk - keys.begin;
    std::fill(row + keys.begin, row + std::clamp(start, keys.begin, keys.end), hidden);
    std::fill(row + std::clamp(t + 1, keys.begin, keys.end), row + keys.end, hidden);
  }
}

// Scores become exponentials; `scales` gets what earlier sums of each row are to be multiplied by.
void exponentials(std::int64_t count, float* scores, Running& running, int first_row, float* scales) {
  const Lane d;
  for (int r = 0; r < kTile; ++r) {
    float* row = scores + r * kChunk;
    Vec maximum = hn::Load(d, row);
    for (std::int64_t i = kLanes; i < count; i += kLanes) {
      maximum = hn::Max(maximum, hn::Load(d, row + i));
    }
    const float before = running.maxima[first_row + r];
    const float now = std::max(before, hn::GetLane(hn::MaxOfLanes(d, maximum)));
    running.maxima[first_row + r] = now;
    scales[r] = before - now;
  }
  for (int r = 0; r < kPanel; r += kLanes) {
    hn::Store(exp2(d, hn::Load(d, scales + r)), d, scales + r);
  }
  for (int r = 0; r < kTile; ++r) {
    float* row = scores + r * kChunk;
    float* sums = running.sums[first_row + r];
    const Vec maximum = hn::Set(d, running.maxima[first_row + r]);
    Vec sum = hn::Mul(hn::Load(d, sums), hn::Set(d, scales[r]));
    for (std::int64_t i = 0; i < count; i += kLanes) {
      const Vec e = exp2(d, hn::Sub(hn::Load(d, row + i), maximum));
      hn::Store(e, d, row + i);
      sum = hn::Add(sum, e);
    }
    hn::Store(sum, d, sums);
  }
}

HWY_INLINE void scale_rows(Tile& tile, const float* scales) {
#pragma GCC unroll 12
  for (int r = 0; r < kTile; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      tile.sums[r][v] = hn::Mul(tile.sums[r][v], hn::Set(Lane(), scales[r]));
    }
  }
}

template <class T>
class Forward {
 public:
  Forward(const AttentionForward<T>& problem, float* scratch)
      : problem_(problem), panels_(padded(problem.head_dim, kPanel) / kPanel), rows_(padded(problem.seq, kBlock)) {
    const std::int64_t width = panels_ * kPanel;
    values_ = scratch;
    keys_ = values_ + rows_ * width;
    queries_ = keys_ + rows_ * width;
    outputs_ = queries_ + kBlock * width;
  }

  void run() {
    const AttentionForward<T>& p = problem_;
    // `values_` is working space until the keys are transposed.
    pack_rows(p.key.data, p.key.row_stride, p.seq, rows_, p.head_dim, 1.0F, values_);
    transpose_panels(values_, rows_, panels_, keys_);
    pack_rows(p.value.data, p.value.row_stride, p.seq, rows_, p.head_dim, 1.0F, values_);
    for (std::int64_t head = 0; head < p.group; ++head) {
      for (std::int64_t t = 0; t < p.seq; t += kBlock) {
        run_block(head, t);
      }
    }
  }

 private:
  void run_block(std::int64_t head, std::int64_t first) {
    const AttentionForward<T>& p = problem_;
    const std::int64_t count = std::min<std::int64_t>(kBlock, p.seq - first);
    const float scale = std::numbers::log2e_v<float> / std::sqrt(static_cast<float>(p.head_dim));
    pack_rows(p.query.data + first * p.query.row_stride + head * p.query.head_stride, p.query.row_stride, count, kBlock,
              p.head_dim, scale, queries_);
    Running running;
    std::fill_n(running.maxima, kBlock, kNothing);
    std::fill_n(&running.sums[0][0], kBlock * kLanes, 0.0F);
    std::fill_n(outputs_, panels_ * kBlock * kPanel, 0.0F);

    const KeyRange keys{first_key(p.document_starts, first, p.seq) / kPanel * kPanel, padded(first + count, kPanel)};
    for (std::int64_t chunk = keys.begin; chunk < keys.end; chunk += kChunk) {
      for (int row = 0; row < count; row += kTile) {
        const KeyRange visible = visible_keys(p, first + row, chunk, std::min(keys.end, chunk + kChunk));
        if (visible.begin < visible.end) {
          run_tile(first, row, visible, running);
        }
      }
    }
    finish_block(head, first, count, running);
  }

  void run_tile(std::int64_t first, int row, const KeyRange& keys, Running& running) {
    HWY_ALIGN float scores[kTile * kChunk];
    HWY_ALIGN float scales[kPanel] = {};
    Tile tile;
    for (std::int64_t key = keys.begin; key < keys.end; key += kPanel) {
      dot_tile(tile, queries_ + row * kPanel, kBlock * kPanel, keys_ + key * panels_ * kPanel, panels_);
      store<kChunk>(tile, scores + key - keys.begin);
    }
    const std::int64_t last = first + row + kTile - 1;
    if (keys.end > first + row + 1 || keys.begin < first_key(problem_.document_starts, last, problem_.seq)) {
      mask_scores(problem_, first + row, keys, scores);
    }
    exponentials(keys.end - keys.begin, scores, running, row, scales);
    for (std::int64_t p = 0; p < panels_; ++p) {
      float* output = outputs_ + (p * kBlock + row) * kPanel;
      load(tile, output);
      scale_rows(tile, scales);
      multiply_add<kChunk, 1>(tile, scores, values_ + (p * rows_ + keys.begin) * kPanel, keys.end - keys.begin);
      store<kPanel>(tile, output);
    }
  }

  void finish_block(std::int64_t head, std::int64_t first, std::int64_t count, const Running& running) {
    float inverse[kBlock];
    for (int r = 0; r < count; ++r) {
      float sum = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        sum += running.sums[r][lane];
      }
      inverse[r] = 1.0F / sum;
      problem_.log_sum_exp[head * problem_.seq + first + r] = running.maxima[r] + std::log2(sum);
    }
    const HeadRows<T>& output = problem_.output;
    unpack_rows(outputs_, count, kBlock, problem_.head_dim, inverse, 1,
                output.data + first * output.row_stride + head * output.head_stride, output.row_stride);
  }

  const AttentionForward<T>& problem_;
  const std::int64_t panels_, rows_;
  float *values_, *keys_;      // packed; packed and transposed
  float *queries_, *outputs_;  // of one block
};

void forward_floats(const AttentionForward<float>& problem, float* scratch) {
  Forward<float>(problem, scratch).run();
}

void forward_bfloat16s(const AttentionForward<BFloat16>& problem, float* scratch) {
  Forward<BFloat16>(problem, scratch).run();
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace rhea::ops::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rhea::ops::cpu {

HWY_EXPORT(forward_floats);
HWY_EXPORT(forward_bfloat16s);

std::int64_t attention_forward_scratch(std::int64_t seq, std::int64_t head_dim) {
  return (2 * padded(seq, kBlock) + 2 * kBlock) * padded(head_dim, kPanel);
}

template <>
void attention_forward(const AttentionForward<float>& problem, float* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_floats)(problem, scratch);
}

template <>
void attention_forward(const AttentionForward<BFloat16>& problem, float* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_bfloat16s)(problem, scratch);
}

}  // namespace rhea::ops::cpu
#endif
