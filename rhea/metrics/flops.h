// Peak arithmetic speed of devices and the share of it that a model reaches (MFU; Chowdhery et al., "PaLM", 2022, B).
#pragma once

#include <optional>
#include <string_view>

namespace rhea {

// Dense bf16 FLOP/s by the maker's data sheet, found by the name that the driver gives ("NVIDIA H100 PCIe").
// Nothing for other devices: a CPU's peak is measured, and a guess would make the MFU a lie.
std::optional<double> peak_flops(std::string_view device_name);

// flops_per_token * tokens_per_second / peak, 0 to 1. Below 0 (not known) unless the peak is above 0.
double model_flops_utilization(double flops_per_token, double tokens_per_second, double peak);

}  // namespace rhea
