// The driver's compiled pipelines, kept on disk for one device, driver and program. A file that is truncated, damaged
// or from elsewhere is as good as none; a directory that cannot be written costs time and nothing else.
//
// $XDG_CACHE_HOME/monomorph/ or ~/.cache/monomorph/; MONOMORPH_NO_CACHE=1 turns it off.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "runtime/program/program.hpp"
#include "runtime/vulkan/device.hpp"

namespace monomorph::vulkan {

/// Where the cache of this device and program lies; none when it is turned off or there is no home.
std::optional<std::filesystem::path> pipeline_cache_path(const PhysicalDevice& device, const Program& program);

/// The driver's bytes out of a file that write_pipeline_cache wrote for this device; empty for anything else.
std::vector<std::byte> read_pipeline_cache(const std::filesystem::path& path, const PhysicalDevice& device);

/// Whole or not at all; failures are silent.
void write_pipeline_cache(const std::filesystem::path& path, std::span<const std::byte> data);

/// The file as a VkPipelineCache for each of some threads, since there are drivers that lock one while they compile;
/// and back to the file when they hold something new.
class PipelineCache {
 public:
  PipelineCache(const Device& device, const Program& program, std::size_t threads);
  VkPipelineCache of(std::size_t thread) const { return caches_[thread].get(); }
  /// When no thread uses its own any more.
  void save() const;

 private:
  const Device& device_;
  std::optional<std::filesystem::path> path_;
  std::vector<std::byte> loaded_;
  std::vector<PipelineCacheHandle> caches_;
};

}  // namespace monomorph::vulkan
