#include "rhea/ops/cpu/bfloat16_gemm.h"

#include "rhea/ops/cpu/element_type.h"
#include "rhea/ops/cpu/pack_kernels.h"

#include <ATen/Parallel.h>
#include <ATen/native/CPUBlas.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace rhea::ops::cpu {
namespace {

// A block of a (kRows x kDepth) and a panel of b (kDepth x kColumns) fit the second-level cache together.
constexpr std::int64_t kRows = 128, kColumns = 128, kDepth = 1024;
constexpr std::int64_t kCopyStride = kDepth + 32;  // of copied rows: no power of two, or all would fall on the same cache sets
constexpr std::int64_t kMaxTaskColumns = 1024;     // of c that one task computes
constexpr std::int64_t kTile = 16;                 // of a transposition: a cache line of each row

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
      copy_.resize(static_cast<std::size_t>(rows * kCopyStride));
    }
  }

  // Columns [begin, begin + depth).
  const std::uint16_t* at(std::int64_t begin, std::int64_t depth) {
    if (copy_.empty()) {
      return a_ + begin;
    }
    transpose(a_ + begin * depth_stride_, depth_stride_, depth, rows_, copy_.data(), kCopyStride);
    return copy_.data();
  }
  std::int64_t stride() const { return copy_.empty() ? stride_ : kCopyStride; }

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

// The next part of `left`: a full block, or the largest power of two. So few sizes occur: each is a kernel that oneDNN compiles
// and keeps, and the number of labels that count is another in every step.
std::int64_t next_part(std::int64_t left, std::int64_t block) {
  return left >= block ? block : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(left)));
}

// Takes the processor's matrix unit (AMX) back to its first state, also where an exception leaves.
struct ReleaseKernel {
  ReleaseKernel() = default;
  ReleaseKernel(const ReleaseKernel&) = delete;
  ReleaseKernel& operator=(const ReleaseKernel&) = delete;
  ~ReleaseKernel() { at::native::cpublas::brgemm_release(); }
};

struct Task {
  std::int64_t row, rows, column, columns;  // of c
};

void run_task(const at::Tensor& a, const PackedBFloat16& b, bool accumulate, const at::Tensor& c, const Task& task) {
  const at::Tensor target = c.narrow(0, task.row, task.rows).narrow(1, task.column, task.columns);
  const bool rounds = c.scalar_type() == at::kBFloat16;
  const at::Tensor sums = rounds ? at::empty({task.rows, task.columns}, c.options().dtype(at::kFloat)) : target;
  RowBlock block(a, task.row, task.rows);
  for (std::int64_t begin = 0, depth = 0; begin < b.k; begin += depth) {
    depth = next_part(b.k - begin, kDepth);
    const std::uint16_t* left = block.at(begin, depth);
    for (std::int64_t offset = 0; offset < task.columns; offset += kColumns) {
      const std::int64_t width = std::min(kColumns, task.columns - offset);
      const std::uint16_t* right = bits(b.data) + (task.column + offset) * b.k + begin * width;
      for (std::int64_t row = 0, rows = 0; row < task.rows; row += rows) {
        rows = next_part(task.rows - row, kRows);
        at::native::cpublas::brgemm(rows, width, depth, block.stride(), width, sums.stride(0), accumulate || begin > 0,
                                    reinterpret_cast<const at::BFloat16*>(left + row * block.stride()),
                                    reinterpret_cast<const at::BFloat16*>(right),
                                    sums.mutable_data_ptr<float>() + row * sums.stride(0) + offset);
      }
    }
  }
  if (rounds) {
    target.copy_(sums);
  }
}

// Columns of c that a task computes: the more, the seldomer a's rows are copied; the fewer, the more threads have work.
std::int64_t task_columns(std::int64_t row_blocks, std::int64_t n) {
  std::int64_t columns = kMaxTaskColumns;
  while (columns > kColumns && row_blocks * blocks(n, columns) < 2 * at::get_num_threads()) {
    columns /= 2;
  }
  return columns;
}

// Whether oneDNN's kernel runs: it can be switched off, or left out of a build.
bool kernel_runs() {
  const at::BFloat16 a[2] = {1, 2}, b[2] = {3, 4};
  float c = 0;
  try {
    const ReleaseKernel release;
    at::native::cpublas::brgemm(1, 1, 2, 2, 1, 1, /*add_C=*/false, a, b, &c);
  } catch (const c10::Error&) {
    return false;
  }
  return c == 11;
}

}  // namespace

bool has_bfloat16_gemm() {
#if defined(__x86_64__)
  static const bool supported = __builtin_cpu_supports("avx512bf16") != 0 && kernel_runs();
  return supported;
#else
  return false;
#endif
}

PackedBFloat16 pack_bfloat16(const at::Tensor& b) {
  const std::int64_t k = b.size(0), n = b.size(1);
  PackedBFloat16 packed{at::empty({k * n}, b.options().dtype(at::kBFloat16)), k, n};
  auto* out = static_cast<std::uint32_t*>(packed.data.mutable_data_ptr());
  const std::int64_t panels = blocks(n, kColumns), depths = blocks(k, kDepth);
  with_element_type(b.scalar_type(), [&]<class T>(T) {
    at::parallel_for(0, panels * depths, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t column = task / depths * kColumns, row = task % depths * kDepth,
                           width = std::min(kColumns, n - column);
        const T* source = elements<T>(b) + column * b.stride(1) + row * b.stride(0);
        pack_panel(source, b.stride(0), b.stride(1), std::min(kDepth, k - row), width, out + column * k / 2 + row / 2 * width);
      }
    });
  });
  return packed;
}

void bfloat16_gemm(const at::Tensor& a, const PackedBFloat16& b, bool accumulate, const at::Tensor& c) {
  const bool c_fits = c.scalar_type() == at::kFloat || (c.scalar_type() == at::kBFloat16 && !accumulate);
  TORCH_INTERNAL_ASSERT(a.scalar_type() == at::kBFloat16 && a.size(1) == b.k && c_fits && c.size(0) == a.size(0) &&
                        c.size(1) == b.n && c.stride(1) == 1);
  const std::int64_t row_blocks = blocks(c.size(0), kRows), columns = task_columns(row_blocks, b.n);
  const std::int64_t column_blocks = blocks(b.n, columns);
  at::parallel_for(0, row_blocks * column_blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    const ReleaseKernel release;
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t row = task / column_blocks * kRows, column = task % column_blocks * columns;
      run_task(a, b, accumulate, c, {row, std::min(kRows, c.size(0) - row), column, std::min(columns, b.n - column)});
    }
  });
}

}  // namespace rhea::ops::cpu
