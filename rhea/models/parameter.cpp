#include "rhea/models/parameter.h"

#include "rhea/core/random.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <span>

namespace rhea {
namespace {

void draw(std::span<float> out, const Initializer& rule, std::uint64_t key) {
  at::parallel_for(0, static_cast<std::int64_t>(out.size()), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    const auto part = out.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    if (rule.kind == Initializer::Kind::kNormal) {
      fill_normal(part, key, static_cast<std::uint64_t>(begin));
    } else {
      fill_truncated_normal(part, key, static_cast<std::uint64_t>(begin), rule.bound);
    }
    for (float& x : part) {
      x = static_cast<float>(x * rule.std);
    }
  });
}

}  // namespace

std::int64_t Parameter::numel() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    count *= extent;
  }
  return count;
}

void initialize(Parameter& parameter, std::uint64_t seed) {
  const c10::NoGradGuard no_grad;
  switch (parameter.initializer.kind) {
    case Initializer::Kind::kZeros: parameter.tensor.zero_(); return;
    case Initializer::Kind::kOnes: parameter.tensor.fill_(1.0); return;
    default: break;
  }
  // Drawn on the CPU in fp32, then copied: the bits must not depend on the device.
  at::Tensor values = parameter.tensor.is_cpu() ? parameter.tensor : at::empty(parameter.shape, at::TensorOptions(at::kFloat));
  draw({values.mutable_data_ptr<float>(), static_cast<std::size_t>(values.numel())}, parameter.initializer,
       stream_key(seed, parameter.name));
  if (!parameter.tensor.is_cpu()) {
    parameter.tensor.copy_(values);
  }
}

}  // namespace rhea
