#include "runtime/vulkan/recordings.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"
#include "runtime/vulkan/spare_devices.hpp"
#include "runtime/vulkan/warm_up.hpp"

namespace monomorph::vulkan {
namespace {

/// Passes of any number of rows run in recordings whose grids are at most a quarter too large: on CPU drivers a
/// workgroup that has nothing to do costs a fraction of one that has.
std::vector<std::int64_t> sizes_up_to(std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size < most;) {
    sizes.push_back(size);
    size += std::max<std::int64_t>(1, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size))) / 4);
  }
  sizes.push_back(most);
  return sizes;
}

/// In the order in which an answer needs them: those of a prompt, its first token, the tokens after it.
std::vector<const Schedule*> pointers(const Schedules& schedules) {
  std::vector<const Schedule*> result(schedules.encode.rbegin(), schedules.encode.rend());
  result.insert(result.end(), schedules.layers.rbegin(), schedules.layers.rend());
  result.insert(result.end(), schedules.head.begin(), schedules.head.end());
  result.insert(result.end(), schedules.sample.begin(), schedules.sample.end());
  return result;
}

Schedules schedules_of(const Device& device, const Program& program, const Storage& storage, const DeviceFacts& facts,
                       const std::vector<Tile>& tiles, bool invariant) {
  return make_schedules({program, storage.weights(), storage.arenas(), facts, tiles, device.limits()}, invariant);
}

/// A measured schedule writes a timestamp after each dispatch, and after the copy of a choice.
std::size_t queries_of(const Schedule& schedule) {
  std::size_t queries = 0;
  for (const Command& command : schedule.commands) queries += command.choice ? 2 : 1;
  return queries;
}

std::int64_t choice_bytes(const Schedule& schedule) {
  std::int64_t bytes = 0;
  for (const Command& command : schedule.commands) bytes += command.choice ? command.choice->bytes : 0;
  return bytes;
}

}  // namespace

Schedules make_schedules(const ScheduleInput& input, bool invariant) {
  const Program& program = input.program;
  Schedules result;
  const auto add = [&](Stage stage, std::int64_t most, std::vector<const Schedule*>& sized) {
    for (const std::int64_t rows : sizes_up_to(most)) {
      result.all.push_back(make_schedule(input, choose_phase(program, stage, rows, input.facts, invariant), rows));
      sized.push_back(&result.all.back());
    }
  };
  if (program.max_source_length > 0) add(Stage::encode, program.max_source_length, result.encode);
  add(Stage::layers, program.prefill_chunk, result.layers);
  add(Stage::head, program.head_rows, result.head);
  if (program.pooling == Pooling::none) {
    add(Stage::sample, std::min(program.max_batch, program.prefill_chunk), result.sample);
  }
  return result;
}

Recordings::Recordings(const Device& device, const Program& program, const Storage& storage, const HostState& state,
                       const DeviceFacts& facts, const RecordingOptions& options)
    : device_(device),
      program_(program),
      storage_(storage),
      tiles_(choose_tiles(program, facts, options.invariant)),
      options_(options),
      schedules_(schedules_of(device, program, storage, facts, tiles_, options.invariant)),
      pipelines_(make_layouts(device, program)),
      sets_(device, storage, pipelines_, pointers(schedules_)),
      pool_(make_command_pool(device)) {
  compile(facts);
  if (options.measure) make_queries();
  if (options.probe) make_probes();

  for (const Schedule* schedule : schedules_.encode) {
    encodes_.push_back({schedule->rows, record({schedule}, fmt::format("encode {}", schedule->rows))});
  }
  for (const Schedule* schedule : schedules_.layers) {
    layers_.push_back({schedule->rows, record({schedule}, fmt::format("layers {}", schedule->rows))});
  }
  for (const Schedule* schedule : schedules_.head) {
    heads_.push_back({schedule->rows, record({schedule}, fmt::format("head {}", schedule->rows))});
    downloads_.push_back({schedule->rows, record_transfer([&](VkCommandBuffer commands) {
                            state.record_download(commands, schedule->rows);
                          })});
  }
  for (const Schedule* schedule : schedules_.sample) {
    const std::int64_t draws = schedule->rows;
    samples_.push_back({draws, record({schedule}, fmt::format("sample {}", draws))});
    const std::vector<const Schedule*> step = step_of(draws);
    steps_.push_back(
        {draws, record(step, fmt::format("step {}", draws), VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT)});
    if (options.measure) continue;
    std::vector<const Schedule*> steps;
    for (std::int64_t i = 0; i < options.block; ++i) steps.insert(steps.end(), step.begin(), step.end());
    blocks_.push_back(
        {draws, record(steps, fmt::format("steps {}", draws), VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT)});
  }
  const std::int64_t angle_rows = program.rotary_angles.empty() ? 1 : program.step_layout().angle_rows();
  for (const std::int64_t rows : sizes_up_to(angle_rows)) {
    uploads_.push_back({rows, record_transfer([&](VkCommandBuffer commands) { state.record_upload(commands, rows); })});
  }
  download_ = record_transfer([&](VkCommandBuffer commands) { state.record_download(commands, 0); });
}

/// While threads make pipelines, this one dispatches those that are made: each at once, or, where spare devices compile
/// them, all at the end, when what was compiled is on disk.
void Recordings::compile(const DeviceFacts& facts) {
  WarmUp warm_up(device_, pointers(schedules_), pipelines_, sets_);
  const auto total = static_cast<std::int64_t>(warm_up.order().size());
  std::int64_t done = 0;
  const bool spares = SpareDevices::help(device_);
  if (options_.compiling) options_.compiling(done, total);
  make_pipelines(device_, program_, facts, tiles_, warm_up.order(), pipelines_, [&](std::size_t kernel) {
    if (!spares) warm_up.dispatch(kernel);
    if (options_.compiling) options_.compiling(++done, total);
  });
  if (!spares) return;
  for (const std::size_t kernel : warm_up.order()) warm_up.dispatch(kernel);
}

void Recordings::make_queries() {
  // Each alone, with a timestamp before its first dispatch, then steps of three.
  std::vector<const Schedule*> recorded = pointers(schedules_);
  std::size_t queries = recorded.size() + schedules_.sample.size();
  for (const Schedule* schedule : schedules_.sample) {
    const std::vector<const Schedule*> step = step_of(schedule->rows);
    recorded.insert(recorded.end(), step.begin(), step.end());
  }
  std::int64_t bytes = 0;
  for (const Schedule* schedule : recorded) {
    queries += queries_of(*schedule);
    bytes += choice_bytes(*schedule);
  }
  if (bytes > 0) choices_ = Buffer(device_, bytes, storage_.types().host, true, "choices");
  VkQueryPoolCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  create.queryType = VK_QUERY_TYPE_TIMESTAMP;
  create.queryCount = static_cast<std::uint32_t>(queries);
  VkQueryPool pool = VK_NULL_HANDLE;
  check(vkCreateQueryPool(device_.get(), &create, nullptr, &pool), "vkCreateQueryPool");
  queries_ = QueryPoolHandle(device_.get(), pool);
}

void Recordings::make_probes() {
  for (const Schedule& schedule : schedules_.all) {
    for (const LayerEnd& end : schedule.layer_ends) {
      probe_stride_ = std::max(probe_stride_, (end.hidden_states.bytes + 255) / 256 * 256);
    }
  }
  std::size_t most = 0;
  for (const Stage stage : {Stage::encode, Stage::layers}) {
    const std::size_t layers = probed_layers(stage);
    const bool alike = std::ranges::all_of(
        marked_in(stage), [&](const Schedule* schedule) { return schedule->layer_ends.size() == layers; });
    if (!alike || (layers == 0 && !marked_in(stage).empty())) {
      throw Error(ErrorKind::internal, "phases do not mark the same layers");
    }
    most = std::max(most, layers);
  }
  probes_ = Buffer(device_, probe_stride_ * static_cast<std::int64_t>(most), storage_.types().host, true, "probes");
}

const Recording& Recordings::smallest(const std::vector<Sized>& sized, std::int64_t rows) {
  return std::find_if(sized.begin(), sized.end(), [&](const Sized& each) { return each.rows >= rows; })->recording;
}

std::vector<const Schedule*> Recordings::step_of(std::int64_t draws) const {
  const auto serves = [&](const Schedule* schedule) { return schedule->rows >= draws; };
  return {*std::ranges::find_if(schedules_.layers, serves), *std::ranges::find_if(schedules_.head, serves),
          *std::ranges::find_if(schedules_.sample, serves)};
}

const std::byte* Recordings::probe(std::size_t layer) const {
  return probes_.data() == nullptr ? nullptr : probes_.data() + static_cast<std::int64_t>(layer) * probe_stride_;
}

template <class Record>
Recording Recordings::record_transfer(const Record& record) {
  Recording recording;
  recording.commands = allocate_command_buffer(device_, pool_.get());
  begin_commands(recording.commands, 0);
  record(recording.commands);
  check(vkEndCommandBuffer(recording.commands), "vkEndCommandBuffer");
  return recording;
}

Recording Recordings::record(const std::vector<const Schedule*>& parts, const std::string& name,
                             VkCommandBufferUsageFlags usage) {
  Recording recording;
  recording.commands = allocate_command_buffer(device_, pool_.get());
  recording.first_query = query_count_;
  device_.name(VK_OBJECT_TYPE_COMMAND_BUFFER, recording.commands, name);
  begin_commands(recording.commands, usage);
  if (options_.measure) {
    std::size_t queries = 1;
    for (const Schedule* part : parts) queries += queries_of(*part);
    vkCmdResetQueryPool(recording.commands, queries_.get(), query_count_, static_cast<std::uint32_t>(queries));
  }
  full_barrier(recording.commands);
  if (options_.measure) {
    vkCmdWriteTimestamp(recording.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), query_count_++);
  }
  HazardTracker hazards;
  for (const Schedule* part : parts) record_schedule(recording, *part, hazards);
  if (options_.measure) host_barrier(recording.commands);  // of copied choices
  check(vkEndCommandBuffer(recording.commands), "vkEndCommandBuffer");
  return recording;
}

void Recordings::record_schedule(Recording& recording, const Schedule& schedule, HazardTracker& hazards) {
  const VkCommandBuffer commands = recording.commands;
  std::size_t ends = 0;
  for (std::size_t i = 0; i <= schedule.commands.size(); ++i) {
    for (; options_.probe && ends < schedule.layer_ends.size() && schedule.layer_ends[ends].command_count == i;
         ++ends) {
      record_probe(commands, schedule.layer_ends[ends], ends);
      hazards.barrier();
    }
    if (i == schedule.commands.size()) break;
    const Command& command = schedule.commands[i];
    const Pipeline& pipeline = pipelines_[static_cast<std::size_t>(command.kernel)];
    // Measured dispatches stand alone, so that a time belongs to one kernel.
    if (hazards.add(command.accesses) || options_.measure) shader_barrier(commands);
    const VkDescriptorSet set = sets_.of(command);
    const PushConstants constants{static_cast<std::uint32_t>(command.first_row),
                                  static_cast<std::uint32_t>(command.row_count)};
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout.get(), 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, &constants);
    vkCmdDispatch(commands, static_cast<std::uint32_t>(command.groups_x), static_cast<std::uint32_t>(command.groups_y),
                  1);
    if (options_.measure) {
      vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), query_count_++);
      recording.measured.push_back({&command});
      if (command.choice) {
        record_choice(commands, recording.measured.back());
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), query_count_++);
        recording.measured.push_back({});
      }
    }
  }
}

void Recordings::record_choice(VkCommandBuffer commands, Measured& measured) {
  const Place& choice = *measured.command->choice;
  measured.choice = choices_end_;
  choices_end_ += choice.bytes;
  record_copy(commands, choice, choices_, measured.choice);
}

void Recordings::record_probe(VkCommandBuffer commands, const LayerEnd& end, std::size_t index) {
  record_copy(commands, end.hidden_states, probes_, static_cast<std::int64_t>(index) * probe_stride_);
}

void Recordings::record_copy(VkCommandBuffer commands, const Place& from, const Buffer& to, std::int64_t offset) {
  const VkBufferCopy copy{static_cast<VkDeviceSize>(from.offset), static_cast<VkDeviceSize>(offset),
                          static_cast<VkDeviceSize>(from.bytes)};
  full_barrier(commands);
  vkCmdCopyBuffer(commands, storage_.buffer(from.buffer).get(), to.get(), 1, &copy);
  full_barrier(commands);
}

}  // namespace monomorph::vulkan
