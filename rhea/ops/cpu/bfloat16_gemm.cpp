#include "rhea/ops/cpu/bfloat16_gemm.h"

#include "rhea/ops/cpu/element_type.h"
#include "rhea/ops/cpu/pack_kernels.h"

#include <ATen/Parallel.h>
#include <ATen/native/CPUBlas.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

namespace rhea::ops::cpu {
namespace {

// A block of a (kRows x kDepth) and a panel of b (kDepth x kColumns) fit the second-level cache together.
constexpr std::int64_t kRows = 128, kColumns = 128, kDepth = 1024;
constexpr std::int64_t kTaskColumns = 1024;  // of c that one task computes
constexpr std::int64_t kTile = 16;           // of a transposition: a cache line of each row

std::int64_t blocks(std::int64_t n, std::int64_t size) {
  return (n + size - 1) / size;
}

// to[j][i] = from[i][j] for `rows` rows of `columns` elements.
template <class T>
void transpose(const T* from, std::int64_t from_stride, std::int64_t rows, std::int64_t columns, T* to, std::int64_t to_stride) {
  for (std::int64_t row = 0; row < rows; row += kTile) {
    const std::int64_t height = std::min(kTile, rows - row);
    for (std::int64_t column = 0; column < columns; column += kTile) {
      const std::int64_t width = std::min(kTile, columns - column);
      const T* source = from + row * from_stride + column;
      T* target = to + column * to_stride + row;
      if (height == kTile && width == kTile) {  // of known size: the compiler keeps it in registers
        T tile[kTile][kTile];
        for (std::int64_t i = 0; i < kTile; ++i) {
          for (std::int64_t j = 0; j < kTile; ++j) {
            tile[j][i] = source[i * from_stride + j];
          }
        }
        for (std::int64_t j = 0; j < kTile; ++j) {
          std::memcpy(target + j * to_stride, tile[j], sizeof(tile[j]));
        }
        continue;
      }
      for (std::int64_t i = 0; i < height; ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
          target[j * to_stride + i] = source[i * from_stride + j];
        }
      }
    }
  }
}

bool has_contiguous_rows(const at::Tensor& x) {
  return x.stride(1) == 1 && x.stride(0) >= x.size(1);
}

const std::uint16_t* bits(const at::Tensor& x) {
  return static_cast<const std::uint16_t*>(x.const_data_ptr());
}

// The rows of a that a task needs, in rows. Copies only where a's columns are contiguous.
class RowBlock {
 public:
  RowBlock(const at::Tensor& a, std::int64_t first_row, std::int64_t rows)
      : a_(bits(a) + first_row * a.stride(0)), stride_(a.stride(0)), depth_stride_(a.stride(1)), rows_(rows) {
    if (!has_contiguous_rows(a)) {
      copy_.resize(static_cast<std::size_t>(rows * std::min(kDepth, a.size(1))));
    }
  }

  // Columns [begin, begin + depth).
  const std::uint16_t* at(std::int64_t begin, std::int64_t depth) {
    if (copy_.empty()) {
      return a_ + begin;
    }
    transpose(a_ + begin * depth_stride_, depth_stride_, depth, rows_, copy_.data(), depth);
    return copy_.data();
  }
  std::int64_t stride(std::int64_t depth) const { return copy_.empty() ? stride_ : depth; }

 private:
  const std::uint16_t* a_;
  std::int64_t stride_, depth_stride_, rows_;
  std::vector<std::uint16_t> copy_;
};

template <class T>
void pack_panel(const T* b, std::int64_t row_stride, std::int64_t column_stride, std::int64_t k, std::int64_t width,
                std::uint32_t* out) {
  if (column_stride != 1) {
    pack_pairs_of_columns(b, column_stride, k, width, out);
    return;
  }
  for (std::int64_t row = 0; row < k; row += 2) {
    pack_pairs_of_rows(b + row * row_stride, b + (row + 1) * row_stride, width, out + row / 2 * width);
  }
}

// Rows [row, row + rows) and columns [column, column + columns) of c.
void run_task(const at::Tensor& a, const PackedBFloat16& b, bool accumulate, const at::Tensor& c, std::int64_t row,
              std::int64_t column) {
  const std::int64_t rows = std::min(kRows, c.size(0) - row), columns = std::min(kTaskColumns, b.n - column);
  const at::Tensor target = c.narrow(0, row, rows).narrow(1, column, columns);
  const bool rounds = c.scalar_type() == at::kBFloat16;
  const at::Tensor sums = rounds ? at::empty({rows, columns}, c.options().dtype(at::kFloat)) : target;
  RowBlock block(a, row, rows);
  for (std::int64_t begin = 0; begin < b.k; begin += kDepth) {
    const std::int64_t depth = std::min(kDepth, b.k - begin);
    const std::uint16_t* left = block.at(begin, depth);
    for (std::int64_t offset = 0; offset < columns; offset += kColumns) {
      const std::int64_t width = std::min(kColumns, columns - offset);
      const std::uint16_t* right = bits(b.data) + (column + offset) * b.k + begin * width;
      at::native::cpublas::brgemm(rows, width, depth, block.stride(depth), width, sums.stride(0), accumulate || begin > 0,
                                  reinterpret_cast<const at::BFloat16*>(left), reinterpret_cast<const at::BFloat16*>(right),
                                  sums.mutable_data_ptr<float>() + offset);
    }
  }
  if (rounds) {
    target.copy_(sums);
  }
}

}  // namespace

bool has_bfloat16_gemm() {
#if defined(__x86_64__)
  static const bool supported = __builtin_cpu_supports("avx512bf16") != 0;
  return supported;
#else
  return false;
#endif
}

PackedBFloat16 pack_bfloat16(const at::Tensor& b) {
  const std::int64_t k = b.size(0), n = b.size(1);
  PackedBFloat16 packed{at::empty({k * n}, b.options().dtype(at::kBFloat16)), k, n};
  auto* out = static_cast<std::uint32_t*>(packed.data.mutable_data_ptr());
  with_element_type(b.scalar_type(), [&]<class T>(T) {
    at::parallel_for(0, blocks(n, kColumns), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t column = begin * kColumns; column < std::min(n, end * kColumns); column += kColumns) {
        const T* source = elements<T>(b) + column * b.stride(1);
        pack_panel(source, b.stride(0), b.stride(1), k, std::min(kColumns, n - column), out + column * k / 2);
      }
    });
  });
  return packed;
}

void bfloat16_gemm(const at::Tensor& a, const PackedBFloat16& b, bool accumulate, const at::Tensor& c) {
  const std::int64_t row_blocks = blocks(c.size(0), kRows), column_blocks = blocks(b.n, kTaskColumns);
  at::parallel_for(0, row_blocks * column_blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      run_task(a, b, accumulate, c, task / column_blocks * kRows, task % column_blocks * kTaskColumns);
    }
    at::native::cpublas::brgemm_release();
  });
}

}  // namespace rhea::ops::cpu
