// Device memory: which heap, buffers, and the way bytes get there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/layout.hpp"

namespace monomorph::vulkan {

/// Where buffers live. `direct`: the device's memory is mapped and the host writes it (CPU drivers, integrated GPUs);
/// otherwise bytes are staged through host memory.
struct MemoryTypes {
  std::uint32_t device = 0;
  std::uint32_t host = 0;  ///< visible and coherent, cached where there is such
  std::size_t heap = 0;    ///< of `device`, as Vulkan numbers heaps
  bool direct = false;
};

/// Of the memory that Vulkan lists, for buffers that may have the types of the bits `open_to_buffers`: the largest
/// device-local heap; never the small window that some GPUs open to the host, nor the host's own. `may_map`: the
/// device's memory may be written by the host. Nothing where no type serves.
std::optional<MemoryTypes> choose_memory_types(const VkPhysicalDeviceMemoryProperties& memory,
                                               std::uint32_t open_to_buffers, bool may_map);
/// The same for a device. Throws Error(device) where no type serves.
MemoryTypes choose_memory_types(const Device& device);

/// A buffer with memory of its own, mapped where its type allows.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Device& device, std::int64_t bytes, std::uint32_t memory_type, bool map, const std::string& name);
  VkBuffer get() const { return buffer_.get(); }
  std::int64_t bytes() const { return bytes_; }
  std::byte* data() const { return data_; }  ///< null: not mapped

 private:
  MemoryHandle memory_;  // freed after the buffer
  BufferHandle buffer_;
  std::int64_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

/// Writes to buffers at load: directly where they are mapped, through two staging buffers where not.
class Uploader {
 public:
  Uploader(const Device& device, const MemoryTypes& types);
  ~Uploader();

  using Fill = std::function<void(std::span<std::byte>)>;
  /// Bytes offset..offset + bytes - 1 of `to`, filled by `fill` in one call; at most 32 MiB at a time.
  void write(const Buffer& to, std::int64_t offset, std::int64_t bytes, const Fill& fill);
  void zero(const Buffer& to);
  /// Everything written is on the device.
  void finish();

 private:
  struct Stage {
    Buffer buffer;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    FenceHandle fence;
    bool in_flight = false;
  };
  Stage& next();
  void submit(Stage& stage);
  void wait(Stage& stage);

  const Device& device_;
  CommandPoolHandle pool_;
  std::vector<Stage> stages_;
  std::size_t turn_ = 0;
};

}  // namespace monomorph::vulkan
