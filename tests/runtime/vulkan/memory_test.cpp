// Which memory is taken, by the tables of real devices (vulkan.gpuinfo.org), shortened to the types that matter.
#include <doctest/doctest.h>

#include <initializer_list>

#include "runtime/vulkan/memory.hpp"

using namespace monomorph::vulkan;

namespace {

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr std::uint32_t all_types = ~0u;

struct Heap {
  std::uint64_t mebibytes;
  bool device_local;
};
struct Type {
  VkMemoryPropertyFlags flags;
  std::uint32_t heap;
};

VkPhysicalDeviceMemoryProperties table(std::initializer_list<Heap> heaps, std::initializer_list<Type> types) {
  VkPhysicalDeviceMemoryProperties memory{};
  for (const Heap& heap : heaps) {
    memory.memoryHeaps[memory.memoryHeapCount++] = {
        heap.mebibytes << 20, heap.device_local ? VkMemoryHeapFlags{VK_MEMORY_HEAP_DEVICE_LOCAL_BIT} : 0};
  }
  for (const Type& type : types) memory.memoryTypes[memory.memoryTypeCount++] = {type.flags, type.heap};
  return memory;
}

/// NVIDIA: the host's memory is the larger heap, and a window of 246 MiB is open to the host.
const VkPhysicalDeviceMemoryProperties nvidia =
    table({{8192, true}, {32048, false}, {246, true}},
          {{0, 1}, {local, 0}, {mapped, 1}, {mapped | cached, 1}, {local | mapped, 2}});
/// AMD: the host's memory first, the window of 256 MiB last; types of another kind (device-coherent) in between.
const VkPhysicalDeviceMemoryProperties amd =
    table({{63900, false}, {24320, true}, {256, true}}, {{local, 1},
                                                         {local | 0x40, 1},
                                                         {mapped, 0},
                                                         {local | mapped, 2},
                                                         {mapped | cached, 0},
                                                         {mapped | cached | 0x40, 0}});
/// Intel, integrated: one heap that host and device share.
const VkPhysicalDeviceMemoryProperties intel =
    table({{15800, true}}, {{local, 0}, {local | mapped, 0}, {local | mapped | cached, 0}});

}  // namespace

TEST_CASE("weights go to the device's own heap, although the host's is larger") {
  for (const auto* memory : {&nvidia, &amd}) {
    for (const bool may_map : {false, true}) {
      const auto types = choose_memory_types(*memory, all_types, may_map);
      REQUIRE(types);
      CHECK(types->heap == (memory == &nvidia ? 0 : 1));
      CHECK(memory->memoryTypes[types->device].heapIndex == types->heap);
      CHECK(memory->memoryTypes[types->device].propertyFlags == local);
      CHECK_FALSE(types->direct);  // the window to the host is another heap
      CHECK(memory->memoryTypes[types->host].propertyFlags == (mapped | cached));
    }
  }
}

TEST_CASE("memory that host and device share is written directly, unless it may not be mapped") {
  const auto direct = choose_memory_types(intel, all_types, true);
  REQUIRE(direct);
  CHECK(direct->direct);
  CHECK(intel.memoryTypes[direct->device].propertyFlags == (local | mapped | cached));
  const auto staged = choose_memory_types(intel, all_types, false);
  REQUIRE(staged);
  CHECK_FALSE(staged->direct);
  CHECK((intel.memoryTypes[staged->device].propertyFlags & local) != 0);
}

TEST_CASE("types that no buffer may have are not taken") {
  const auto types = choose_memory_types(nvidia, all_types & ~(1u << 3), false);
  REQUIRE(types);
  CHECK(types->host == 2);  // visible and not cached
  CHECK_FALSE(choose_memory_types(nvidia, all_types & ~(1u << 1), false));
}

TEST_CASE("a device without memory of its own, or none that the host sees, cannot be used") {
  CHECK_FALSE(choose_memory_types(table({{8192, false}}, {{mapped | cached, 0}}), all_types, true));
  CHECK_FALSE(choose_memory_types(table({{8192, true}}, {{local, 0}}), all_types, true));
}
