#include "rhea/train/device_memory.h"

#include "rhea/metrics/memory.h"

#include <c10/core/CachingDeviceAllocator.h>

namespace rhea {

DeviceMemory peak_device_memory(at::Device device) {
  if (device.is_cpu()) {
    const double peak = peak_memory_gib(), total = total_memory_gib();
    return {peak, total > 0.0 ? peak / total : 0.0};
  }
  constexpr double kGib = 1 << 30;
  auto* allocator = c10::getDeviceAllocator(device.type());
  const auto stats = allocator->getDeviceStats(device.index());
  const auto [free, total] = allocator->getMemoryInfo(device.index());
  const auto aggregate = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const double peak = static_cast<double>(stats.active_bytes[aggregate].peak);
  return {peak / kGib, total > 0 ? peak / static_cast<double>(total) : 0.0};
}

}  // namespace rhea
