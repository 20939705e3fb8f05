// Causal attention against libtorch's flash attention for the CPU: forward and backward, medians of runs made in turn.
//
//   attention_benchmark [head_dim seq batch heads]...   (default: head sizes 16, 64 and 128 at 2,048 tokens)
#include "rhea/ops/cpu/attention.h"

#include <ATen/Parallel.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/randn.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

struct Shape {
  std::int64_t head_dim, seq, batch, heads;
};

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Pair {
  double ours, aten;
};

// Medians of five runs each, in turn, so that both see the same machine.
Pair compare(const std::function<void()>& ours, const std::function<void()>& aten) {
  std::vector<double> a, b;
  for (int i = 0; i < 6; ++i) {
    const double first = seconds(ours), second = seconds(aten);
    if (i > 0) {
      a.push_back(first);
      b.push_back(second);
    }
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return {a[a.size() / 2], b[b.size() / 2]};
}

void report(const char* what, const Shape& s, at::ScalarType dtype, const Pair& time, int products) {
  const double flops = static_cast<double>(products * s.batch * s.heads * s.seq * s.seq * s.head_dim);
  fmt::print("{:8} {:9} head_dim {:3}  {}x{}x{}: {:8.2f} ms {:6.1f} GFLOP/s   ATen {:8.2f} ms   ratio {:.2f}\n",
             c10::toString(dtype), what, s.head_dim, s.batch, s.seq, s.heads, time.ours * 1e3, flops / time.ours / 1e9,
             time.aten * 1e3, time.aten / time.ours);
}

void run(const Shape& s, at::ScalarType dtype) {
  const auto tensor = [&] { return at::randn({s.batch, s.seq, s.heads, s.head_dim}).to(dtype); };
  const at::Tensor q = tensor(), k = tensor(), v = tensor(), grad = tensor();
  const at::Tensor tq = q.transpose(1, 2), tk = k.transpose(1, 2), tv = v.transpose(1, 2), tgrad = grad.transpose(1, 2);
  const auto ours = rhea::ops::cpu::attention_forward(q, k, v, {});
  const auto [output, log_sum_exp] = at::_scaled_dot_product_flash_attention_for_cpu(tq, tk, tv, 0.0, true);
  const at::Tensor aten_output = output, aten_sums = log_sum_exp;
  // Causal: half of seq^2 pairs, 2 FLOPs a multiplication, so each product counts seq^2 * head_dim.
  report("forward", s, dtype,
         compare([&] { rhea::ops::cpu::attention_forward(q, k, v, {}); },
                 [&] { at::_scaled_dot_product_flash_attention_for_cpu(tq, tk, tv, 0.0, true); }),
         2);
  report("backward", s, dtype,
         compare([&] { rhea::ops::cpu::attention_backward(grad, q, k, v, ours, {}); },
                 [&] {
                   at::_scaled_dot_product_flash_attention_for_cpu_backward(tgrad, tq, tk, tv, aten_output, aten_sums, 0.0, true);
                 }),
         5);
}

}  // namespace

int main(int argc, char** argv) {
  const c10::NoGradGuard no_grad;
  std::vector<Shape> shapes;
  for (int i = 1; i + 3 < argc; i += 4) {
    shapes.push_back({std::atol(argv[i]), std::atol(argv[i + 1]), std::atol(argv[i + 2]), std::atol(argv[i + 3])});
  }
  if (shapes.empty()) {
    shapes = {{16, 2048, 1, 16}, {64, 2048, 1, 8}, {128, 2048, 1, 4}};
  }
  fmt::print("{} threads\n", at::get_num_threads());
  for (const Shape& shape : shapes) {
    run(shape, at::kFloat);
    run(shape, at::kBFloat16);
  }
}
