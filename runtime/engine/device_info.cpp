#include "runtime/engine/device_info.hpp"

#include <algorithm>

namespace monomorph {

std::int64_t DeviceInfo::memory() const {
  std::int64_t largest = 0;
  for (const MemoryHeap& heap : heaps) {
    if (heap.device_local) largest = std::max(largest, heap.bytes);
  }
  return largest;
}

const char* to_string(DeviceType type) {
  switch (type) {
    case DeviceType::discrete:
      return "discrete GPU";
    case DeviceType::integrated:
      return "integrated GPU";
    case DeviceType::virtual_gpu:
      return "virtual GPU";
    case DeviceType::cpu:
      return "CPU";
    case DeviceType::other:
      return "other";
    case DeviceType::processor:
      return "processor";
  }
  return "other";
}

}  // namespace monomorph
