// Parameters: named leaf tensors with a global shape and a rule for their first values.
//
// First values come from the counter-based generator keyed by (seed, name, element index): the same on any number of
// ranks, in any sharding, on CPU and GPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rhea {

struct Initializer {
  enum class Kind { kZeros, kOnes, kNormal, kTruncatedNormal };
  Kind kind = Kind::kZeros;
  double std = 0.0;
  double bound = 0.0;  // kTruncatedNormal: cut at +- bound * std

  static Initializer zeros() { return {Kind::kZeros}; }
  static Initializer ones() { return {Kind::kOnes}; }
  static Initializer normal(double std) { return {Kind::kNormal, std}; }
  static Initializer truncated_normal(double std, double bound) { return {Kind::kTruncatedNormal, std, bound}; }
};

struct Parameter {
  std::string name;  // "layers.0.attention.wq.weight"
  std::vector<std::int64_t> shape;
  Initializer initializer;
  at::Tensor tensor;  // fp32 master weight, a leaf that requires grad; on the meta device until materialized

  std::int64_t numel() const;
  bool is_matrix() const { return shape.size() >= 2; }
};

// Writes the parameter's first values into its tensor, whatever its device.
void initialize(Parameter& parameter, std::uint64_t seed);

}  // namespace rhea
