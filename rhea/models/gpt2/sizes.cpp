#include "rhea/core/edit_distance.h"
#include "rhea/core/error.h"
#include "rhea/models/gpt2/gpt2.h"

#include <array>
#include <utility>

namespace rhea {
namespace {

using Size = std::pair<std::string_view, Gpt2Args>;

constexpr std::array<Size, 5> kSizes = {{
    {"debugmodel", {.dim = 128, .layers = 4, .heads = 4, .vocab_size = 2048}},
    {"124M", {.dim = 768, .layers = 12, .heads = 12}},
    {"350M", {.dim = 1024, .layers = 24, .heads = 16}},
    {"774M", {.dim = 1280, .layers = 36, .heads = 20}},
    {"1.5B", {.dim = 1600, .layers = 48, .heads = 25}},
}};

}  // namespace

Gpt2Args gpt2_size(std::string_view flavor) {
  for (const auto& [name, args] : kSizes) {
    if (name == flavor) {
      return args;
    }
  }
  fail_usage("model.flavor: gpt2 has no size \"{}\"{}", flavor, did_you_mean(flavor, gpt2_sizes()));
}

std::vector<std::string> gpt2_sizes() {
  std::vector<std::string> names;
  for (const auto& [name, args] : kSizes) {
    names.emplace_back(name);
  }
  return names;
}

}  // namespace rhea
