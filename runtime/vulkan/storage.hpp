// Everything an engine keeps on the device: weights, filled once at load, and arenas.
#pragma once

#include <functional>
#include <vector>

#include "runtime/engine/load_options.hpp"
#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/layout.hpp"
#include "runtime/vulkan/memory.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::vulkan {

class Storage {
 public:
  /// Lays out, allocates, zeroes the arenas, uploads weights. The caller has checked that all fits.
  Storage(const Device& device, const Program& program, const HostWeights& weights, const LoadProgress& progress);

  const WeightLayout& weights() const { return weights_; }
  const ArenaLayout& arenas() const { return arenas_; }
  const MemoryTypes& types() const { return types_; }
  /// Numbered as Place::buffer: weights' shards first, then arenas' pieces.
  const Buffer& buffer(std::size_t index) const { return buffers_[index]; }

 private:
  void upload_weights(Uploader& uploader, const HostWeights& weights, const LoadProgress& progress);

  WeightLayout weights_;
  ArenaLayout arenas_;
  MemoryTypes types_;
  std::vector<Buffer> buffers_;
};

}  // namespace monomorph::vulkan
