// Command buffers, recorded once at load and submitted many times. Each orders itself after whatever was submitted
// before.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/vulkan/descriptors.hpp"
#include "runtime/vulkan/host_state.hpp"
#include "runtime/vulkan/pipelines.hpp"
#include "runtime/vulkan/schedule.hpp"

namespace monomorph::vulkan {

/// The four phases of a program on this device.
struct Phases {
  Phase prefill, decode, head, sample;
};

/// A command buffer and, where it is measured, what it holds: one dispatch between every two timestamps.
struct Recording {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  std::uint32_t first_query = 0;
  std::int64_t most_tokens = 1;  ///< tokens of this call that the steps' own counts stand for
  std::vector<const Step*> measured;
};

struct RecordingOptions {
  std::int64_t decode_steps = 1;  ///< of the longer decode recording
  bool measure = false;
  bool probe = false;
};

class Recordings {
 public:
  Recordings(const Device& device, const Program& program, const Storage& storage, const HostState& state,
             const DeviceFacts& facts, const RecordingOptions& options);

  /// Embedding and layers for up to `tokens` tokens: the smallest recording that serves them.
  const Recording& prefill(std::int64_t tokens) const;
  const Recording& decode() const { return decode_; }  ///< embedding and layers, one token
  const Recording& head() const { return head_; }
  const Recording& sample() const { return sample_; }
  const Recording& step() const { return step_; }    ///< decode, head, sample; may stand several times in a submission
  const Recording& steps() const { return steps_; }  ///< the same options.decode_steps times
  const Recording& upload() const { return upload_; }
  const Recording& download() const { return download_; }

  VkQueryPool queries() const { return queries_.get(); }
  std::uint32_t query_count() const { return query_count_; }

  /// Where prefill and decode leave the hidden states of layer `index`, rows padded; null without options.probe.
  const std::byte* probe(std::size_t layer) const;
  std::size_t probed_layers() const { return phases_.prefill.layer_ends.size(); }

 private:
  struct Part {
    const Phase* phase;
    std::int64_t tokens;  ///< of this call, at most
    std::int64_t most;    ///< that the phase was made for
  };
  Recording record(const std::vector<Part>& parts, const std::string& name, VkCommandBufferUsageFlags usage = 0);
  void record_phase(Recording& recording, const Part& part, HazardTracker& hazards);
  void record_probe(VkCommandBuffer commands, const LayerEnd& end, std::size_t index);
  void count_queries();

  const Device& device_;
  const Program& program_;
  const Storage& storage_;
  const std::vector<Tile> tiles_;
  const RecordingOptions options_;
  Phases phases_;
  std::vector<Pipeline> pipelines_;
  DescriptorSets sets_;
  Buffer probes_;
  std::int64_t probe_stride_ = 0;
  CommandPoolHandle pool_;
  QueryPoolHandle queries_;
  std::uint32_t query_count_ = 0;
  struct Prefill {
    std::int64_t tokens;
    Recording recording;
  };
  std::vector<Prefill> prefills_;  ///< by tokens
  Recording decode_, head_, sample_, step_, steps_, upload_, download_;
};

}  // namespace monomorph::vulkan
