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

/// Each stage of a program for every size that is recorded, each size in the phase that serves it; by rows.
struct Schedules {
  std::deque<Schedule> all;  ///< what the others point to
  std::vector<const Schedule*> encode, layers, head, sample;
};
Schedules make_schedules(const ScheduleInput& input, bool invariant = false);

struct RecordingOptions {
  std::int64_t block = 1;  ///< passes of the longer recording of decoded tokens
  bool measure = false;
  bool probe = false;
  bool invariant = false;
  LoadProgress compiling{};  ///< as LoadOptions::compiling
};

class Recordings {
 public:
  Recordings(const Device& device, const Program& program, const Storage& storage, const HostState& state,
             const DeviceFacts& facts, const RecordingOptions& options);

  /// Sources of `rows` tokens: the smallest recording that serves them.
  const Recording& encode(std::int64_t rows) const { return smallest(encodes_, rows); }
  /// Embedding and layers for `rows` tokens.
  const Recording& layers(std::int64_t rows) const { return smallest(layers_, rows); }
  /// Logits of `rows` rows.
  const Recording& head(std::int64_t rows) const { return smallest(heads_, rows); }
  const Recording& sample(std::int64_t draws) const { return smallest(samples_, draws); }
  /// A decoded token of each of `draws` slots: layers, head, sample; may stand several times.
  const Recording& step(std::int64_t draws) const { return smallest(steps_, draws); }
  /// The same options.block times.
  const Recording& block(std::int64_t draws) const { return smallest(blocks_, draws); }
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
  /// Layers that a stage marks: those of the model, or of what reads sources.
  std::size_t probed_layers(Stage stage) const {
    return marked_in(stage).empty() ? 0 : marked_in(stage).front()->layer_ends.size();
  }

 private:
  struct Sized {
    std::int64_t rows;
    Recording recording;
  };
  const std::vector<const Schedule*>& marked_in(Stage stage) const {
    return stage == Stage::encode ? schedules_.encode : schedules_.layers;
  }
  /// The schedules of a decoded token of each of so many slots.
  std::vector<const Schedule*> step_of(std::int64_t draws) const;
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
  std::vector<Sized> encodes_, layers_, heads_, samples_, steps_, blocks_, uploads_, downloads_;  ///< by rows
  Recording download_;
};

}  // namespace monomorph::vulkan
