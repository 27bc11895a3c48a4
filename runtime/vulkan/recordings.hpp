// Command buffers, recorded once at load and submitted many times. Each orders itself after whatever was submitted
// before.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/engine/load_options.hpp"
#include "runtime/vulkan/descriptors.hpp"
#include "runtime/vulkan/host_state.hpp"
#include "runtime/vulkan/pipelines.hpp"
#include "runtime/vulkan/schedule.hpp"

namespace monomorph::vulkan {

/// What stands between two timestamps: a dispatch, or the copy of the choice that the one before had (null).
struct Measured {
  const Command* command = nullptr;
  std::int64_t choice = -1;  ///< where the copy of its choice is; none: -1
};

/// A command buffer and, where it is measured, what it holds.
struct Recording {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  std::uint32_t first_query = 0;
  std::vector<Measured> measured;
};

/// Every phase of a program for every size that is recorded; lists are by rows.
struct Schedules {
  std::deque<Schedule> all;  ///< what the others point to
  std::vector<const Schedule*> prefill, head;
  const Schedule *decode = nullptr, *sample = nullptr;
};
Schedules make_schedules(const ScheduleInput& input);

struct RecordingOptions {
  std::int64_t block = 1;  ///< passes of the longer recording of decoded tokens
  bool measure = false;
  bool probe = false;
  LoadProgress compiling{};  ///< as LoadOptions::compiling
};

class Recordings {
 public:
  Recordings(const Device& device, const Program& program, const Storage& storage, const HostState& state,
             const DeviceFacts& facts, const RecordingOptions& options);

  /// Embedding and layers for `rows` tokens: the smallest recording that serves them; with `prefill`, of the phase that
  /// serves a whole chunk.
  const Recording& layers(std::int64_t rows, bool prefill) const;
  /// Logits of `rows` rows.
  const Recording& head(std::int64_t rows) const { return smallest(heads_, rows); }
  const Recording& sample() const { return sample_; }
  const Recording& step() const { return step_; }  ///< one decoded token: layers, head, sample; may stand several times
  const Recording& block() const { return block_; }  ///< the same options.block times
  /// The step, and at least `angle_rows` rows of angles.
  const Recording& upload(std::int64_t angle_rows) const { return smallest(uploads_, angle_rows); }
  /// What was drawn, and the logits of at least `rows` rows; none: 0.
  const Recording& download(std::int64_t rows) const { return rows == 0 ? download_ : smallest(downloads_, rows); }

  VkQueryPool queries() const { return queries_.get(); }
  /// The copy of a measured dispatch's choice, as its kernel read it.
  const float* choice(const Measured& measured) const {
    return reinterpret_cast<const float*>(choices_.data() + measured.choice);
  }
  std::uint32_t query_count() const { return query_count_; }

  /// Where a pass leaves the hidden states of layer `index`, rows padded; null without options.probe.
  const std::byte* probe(std::size_t layer) const;
  std::size_t probed_layers() const { return schedules_.decode->layer_ends.size(); }

 private:
  struct Sized {
    std::int64_t rows;
    Recording recording;
  };
  static const Recording& smallest(const std::vector<Sized>& sized, std::int64_t rows);
  Recording record(const std::vector<const Schedule*>& parts, const std::string& name,
                   VkCommandBufferUsageFlags usage = 0);
  template <class Record>
  Recording record_transfer(const Record& record);
  void record_schedule(Recording& recording, const Schedule& schedule, HazardTracker& hazards);
  void record_probe(VkCommandBuffer commands, const LayerEnd& end, std::size_t index);
  void record_copy(VkCommandBuffer commands, const Place& from, const Buffer& to, std::int64_t offset);
  void compile(const DeviceFacts& facts);
  void make_queries();
  void record_choice(VkCommandBuffer commands, Measured& measured);
  void make_probes();

  const Device& device_;
  const Program& program_;
  const Storage& storage_;
  const std::vector<Tile> tiles_;
  const RecordingOptions options_;
  const Schedules schedules_;
  std::vector<Pipeline> pipelines_;
  DescriptorSets sets_;
  Buffer probes_;
  std::int64_t probe_stride_ = 0;
  CommandPoolHandle pool_;
  QueryPoolHandle queries_;
  std::uint32_t query_count_ = 0;
  Buffer choices_;
  std::int64_t choices_end_ = 0;
  std::vector<Sized> prefills_, heads_, uploads_, downloads_;  ///< by rows
  Recording decode_, sample_, step_, block_, download_;
};

}  // namespace monomorph::vulkan
