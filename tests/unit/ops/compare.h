// How an op is held to its reference: same inputs, same random grad_output, forward and every gradient.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>
#include <vector>

namespace rhea::ops {

using Op = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

// What an op gives: the output first, then the gradient of each input (undefined where there is none).
std::vector<at::Tensor> run_with_gradients(const Op& op, const std::vector<at::Tensor>& inputs);

// Runs `op` on inputs and `reference` on the same numbers in fp64; every result must lie within `tolerance` times the
// largest element of its reference, and keep its input's dtype.
void expect_matches(const Op& op, const Op& reference, const std::vector<at::Tensor>& inputs, double tolerance);

// The same bits with one thread, with two, and with two again.
void expect_same_bits(const Op& op, const std::vector<at::Tensor>& inputs);

// max |actual - expected| / max |expected|, in fp64.
double relative_error(const at::Tensor& actual, const at::Tensor& expected);

// f must throw an Error whose message contains `part`.
void expect_error(const std::function<void()>& f, std::string_view part);

// Normal numbers from a seed, always the same.
at::Tensor random_tensor(at::IntArrayRef shape, std::uint64_t seed, at::ScalarType dtype = at::kFloat);

// Bounds on rounding: products of fp32 summed over some hundred terms stay below 100 units of 2^-24 of the largest; a
// result rounded to bf16 is off by half a unit, 2^-9, of itself, and a second rounding on the way doubles that.
inline constexpr double kFloatTolerance = 6e-6;
inline constexpr double kBFloat16Tolerance = 1.0 / 256;

}  // namespace rhea::ops
