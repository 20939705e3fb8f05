// Register tiles and packing for attention. Included once per instruction set (Highway's scheme).
//
// Packed matrices are cut into panels of kPanel columns, [panels][rows][kPanel] with zeros in the padding, so that every
// product runs over contiguous vectors whatever the head size: c[rows][16] += a[rows][k] b[k][16], with a broadcast.
// A tile keeps 12 vectors of sums in registers: 6 rows by 2 vectors with 16 registers of 8 floats.
#if defined(RHEA_OPS_CPU_ATTENTION_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RHEA_OPS_CPU_ATTENTION_TILES_INL_H_
#undef RHEA_OPS_CPU_ATTENTION_TILES_INL_H_
#else
#define RHEA_OPS_CPU_ATTENTION_TILES_INL_H_
#endif

#include "rhea/ops/cpu/attention_blocks.h"
#include "rhea/ops/cpu/attention_kernels.h"
#include "rhea/ops/cpu/convert-inl.h"

#include <hwy/highway.h>
#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace rhea::ops::cpu {
namespace HWY_NAMESPACE {

using Lane = hn::CappedTag<float, kPanel>;
using Vec = hn::Vec<Lane>;

inline constexpr int kLanes = hn::MaxLanes(Lane());
inline constexpr int kVectors = kPanel / kLanes;          // a panel's width in vectors
inline constexpr int kTile = std::max(1, 12 / kVectors);  // rows of a tile
static_assert(kBlock % kTile == 0 && kTile <= kPanel);

struct Tile {
  Vec sums[kTile][kVectors];
};

HWY_INLINE void clear(Tile& tile) {
#pragma GCC unroll 12
  for (int r = 0; r < kTile; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      tile.sums[r][v] = hn::Zero(Lane());
    }
  }
}

HWY_INLINE void load(Tile& tile, const float* from) {
#pragma GCC unroll 12
  for (int r = 0; r < kTile; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      tile.sums[r][v] = hn::Load(Lane(), from + r * kPanel + v * kLanes);
    }
  }
}

template <int kRowStride>
HWY_INLINE void store(const Tile& tile, float* to) {
#pragma GCC unroll 12
  for (int r = 0; r < kTile; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(tile.sums[r][v], Lane(), to + r * kRowStride + v * kLanes);
    }
  }
}

// tile[r][:] += sum over k < steps of a[r * kRowStride + k * kStepStride] * b[k * kPanel + :]
template <int kRowStride, int kStepStride>
HWY_INLINE void multiply_add(Tile& tile, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::int64_t steps) {
  const Lane d;
  for (std::int64_t k = 0; k < steps; ++k) {
    Vec row[kVectors];
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      row[v] = hn::Load(d, b + k * kPanel + v * kLanes);
    }
#pragma GCC unroll 12
    for (int r = 0; r < kTile; ++r) {
      const Vec factor = hn::Set(d, a[r * kRowStride + k * kStepStride]);
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        tile.sums[r][v] = hn::MulAdd(factor, row[v], tile.sums[r][v]);
      }
    }
  }
}

// Dot products of kTile rows of a packed matrix (panels `panel_stride` floats apart) with 16 columns of a transposed one.
HWY_INLINE void dot_tile(Tile& tile, const float* rows, std::int64_t panel_stride, const float* transposed, std::int64_t panels) {
  clear(tile);
  for (std::int64_t p = 0; p < panels; ++p) {
    multiply_add<kPanel, 1>(tile, rows + p * panel_stride, transposed + p * kPanel * kPanel, kPanel);
  }
}

// Packs `rows` rows of head_dim elements, times scale, into panels of packed_rows rows; rows beyond are zeroed.
template <class T>
HWY_INLINE void pack_rows(const T* from, std::int64_t row_stride, std::int64_t rows, std::int64_t packed_rows,
                          std::int64_t head_dim, float scale, float* to) {
  const Lane d;
  const Vec factor = hn::Set(d, scale);
  const std::int64_t panels = padded(head_dim, kPanel) / kPanel;
  for (std::int64_t p = 0; p < panels; ++p) {
    const std::int64_t width = std::min<std::int64_t>(kPanel, head_dim - p * kPanel);
    float* panel = to + p * packed_rows * kPanel;
    std::fill(panel + rows * kPanel, panel + packed_rows * kPanel, 0.0F);
    for (std::int64_t t = 0; t < rows; ++t) {
      const T* source = from + t * row_stride + p * kPanel;
      float* target = panel + t * kPanel;
      if (width == kPanel) {
        for (int v = 0; v < kVectors; ++v) {
          hn::Store(hn::Mul(factor, load_floats(d, source + v * kLanes)), d, target + v * kLanes);
        }
        continue;
      }
      for (int i = 0; i < kPanel; ++i) {
        target[i] = i < width ? scale * to_float(source[i]) : 0.0F;
      }
    }
  }
}

// The way back: row t is scaled by scales[t * scale_stride].
template <class T>
HWY_INLINE void unpack_rows(const float* from, std::int64_t rows, std::int64_t packed_rows, std::int64_t head_dim,
                            const float* scales, std::int64_t scale_stride, T* to, std::int64_t row_stride) {
  const Lane d;
  const std::int64_t panels = padded(head_dim, kPanel) / kPanel;
  for (std::int64_t p = 0; p < panels; ++p) {
    const std::int64_t width = std::min<std::int64_t>(kPanel, head_dim - p * kPanel);
    for (std::int64_t t = 0; t < rows; ++t) {
      const float* source = from + (p * packed_rows + t) * kPanel;
      T* target = to + t * row_stride + p * kPanel;
      const float scale = scales[t * scale_stride];
      if (width == kPanel) {
        for (int v = 0; v < kVectors; ++v) {
          store_floats(d, hn::Mul(hn::Set(d, scale), hn::Load(d, source + v * kLanes)), target + v * kLanes);
        }
        continue;
      }
      for (int i = 0; i < width; ++i) {
        store_float(scale * source[i], target + i);
      }
    }
  }
}

// [panels][rows][16] -> [rows / 16][panels * 16][16]: groups of 16 rows, transposed.
HWY_INLINE void transpose_panels(const float* from, std::int64_t rows, std::int64_t panels, float* to) {
  for (std::int64_t group = 0; group < rows / kPanel; ++group) {
    for (std::int64_t p = 0; p < panels; ++p) {
      const float* source = from + (p * rows + group * kPanel) * kPanel;
      float* target = to + (group * panels + p) * kPanel * kPanel;
      for (int i = 0; i < kPanel; ++i) {
        for (int j = 0; j < kPanel; ++j) {
          target[i * kPanel + j] = source[j * kPanel + i];
        }
      }
    }
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace rhea::ops::cpu
HWY_AFTER_NAMESPACE();
#endif
