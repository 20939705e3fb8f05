// Memory of the device that computes: of this process on a CPU, of the allocator on an accelerator.
#pragma once

#include <c10/core/Device.h>

namespace rhea {

struct DeviceMemory {
  double peak_gib = 0.0;
  double share = 0.0;  // of all that the device has; 0 where that is not known
};
DeviceMemory peak_device_memory(at::Device device);

}  // namespace rhea
