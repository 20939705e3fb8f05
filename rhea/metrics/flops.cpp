#include "rhea/metrics/flops.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace rhea {
namespace {

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Whole words only: "H20" is not in "NVIDIA H200".
bool has_word(std::string_view name, std::string_view word) {
  if (word.empty()) {
    return true;
  }
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part_of_word(name[at - 1])) && (end == name.size() || !is_part_of_word(name[end]))) {
      return true;
    }
  }
  return false;
}

struct Device {
  std::string_view model;
  std::string_view variant;  // empty: every other one
  double flops;
};

constexpr std::array kDevices = {
    Device{"A100", "", 312e12},     Device{"H100", "NVL", 835e12}, Device{"H100", "PCIe", 756e12}, Device{"H100", "", 989e12},
    Device{"H200", "", 989e12},     Device{"H20", "", 148e12},     Device{"B200", "", 2.25e15},    Device{"L40S", "", 362e12},
    Device{"MI250X", "", 191.5e12},  // of one of its two dies, which is what a process sees
    Device{"MI300X", "", 1300e12},  Device{"MI355X", "", 2500e12},
};

}  // namespace

std::optional<double> peak_flops(std::string_view device_name) {
  const auto* found = std::find_if(kDevices.begin(), kDevices.end(), [&](const Device& device) {
    return has_word(device_name, device.model) && has_word(device_name, device.variant);
  });
  if (found == kDevices.end()) {
    return std::nullopt;
  }
  return found->flops;
}

double model_flops_utilization(double flops_per_token, double tokens_per_second, double peak) {
  return peak > 0.0 ? flops_per_token * tokens_per_second / peak : -1.0;
}

}  // namespace rhea
