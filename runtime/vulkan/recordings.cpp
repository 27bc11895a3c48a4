#include "runtime/vulkan/recordings.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {
namespace {

Phases make_phases(const Device& device, const Program& program, const Storage& storage, const DeviceFacts& facts,
                   const std::vector<Tile>& tiles) {
  const ScheduleInput input{program, storage.weights(), storage.arenas(), facts, tiles, device.limits()};
  return {make_phase(input, program.prefill), make_phase(input, program.decode), make_phase(input, program.head),
          make_phase(input, program.sample)};
}

/// Prompts of any length run in recordings whose grids are at most twice too large.
std::vector<std::int64_t> prefill_sizes(std::int64_t prefill_chunk) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size < prefill_chunk; size *= 2) sizes.push_back(size);
  sizes.push_back(prefill_chunk);
  return sizes;
}

/// A measured phase writes a timestamp before its first dispatch and after each.
std::size_t queries_of(const Phase& phase) { return phase.steps.size() + 1; }

}  // namespace

Recordings::Recordings(const Device& device, const Program& program, const Storage& storage, const HostState& state,
                       const DeviceFacts& facts, const RecordingOptions& options)
    : device_(device),
      program_(program),
      storage_(storage),
      tiles_(choose_tiles(program, facts)),
      options_(options),
      phases_(make_phases(device, program, storage, facts, tiles_)),
      pipelines_(make_pipelines(device, program, facts, tiles_)),
      sets_(device, storage, pipelines_,
            std::array<const Phase*, 4>{&phases_.prefill, &phases_.decode, &phases_.head, &phases_.sample}),
      pool_(make_command_pool(device)) {
  if (options.measure) {
    count_queries();
    VkQueryPoolCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    create.queryType = VK_QUERY_TYPE_TIMESTAMP;
    create.queryCount = query_count_;
    VkQueryPool queries = VK_NULL_HANDLE;
    check(vkCreateQueryPool(device.get(), &create, nullptr, &queries), "vkCreateQueryPool");
    queries_ = QueryPoolHandle(device.get(), queries);
    query_count_ = 0;
  }
  if (options.probe) {
    for (const Phase* phase : {&phases_.prefill, &phases_.decode}) {
      for (const LayerEnd& end : phase->layer_ends) {
        probe_stride_ = std::max(probe_stride_, (end.hidden_states.bytes + 255) / 256 * 256);
      }
    }
    const auto layers = static_cast<std::int64_t>(probed_layers());
    if (layers == 0 || phases_.decode.layer_ends.size() != probed_layers()) {
      throw Error(ErrorKind::internal, "prefill and decode do not mark the same layers");
    }
    probes_ = Buffer(device, probe_stride_ * layers, storage.types().host, true, "probes");
  }

  for (const std::int64_t tokens : prefill_sizes(program.prefill_chunk)) {
    prefills_.push_back(
        {tokens, record({{&phases_.prefill, tokens, program.prefill_chunk}}, fmt::format("prefill {}", tokens))});
  }
  decode_ = record({{&phases_.decode, 1, 1}}, "decode");
  head_ = record({{&phases_.head, 1, 1}}, "head");
  sample_ = record({{&phases_.sample, 1, 1}}, "sample");
  const std::vector<Part> step{{&phases_.decode, 1, 1}, {&phases_.head, 1, 1}, {&phases_.sample, 1, 1}};
  step_ = record(step, "step", VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  if (!options.measure) {
    std::vector<Part> steps;
    for (std::int64_t i = 0; i < options.decode_steps; ++i) steps.insert(steps.end(), step.begin(), step.end());
    steps_ = record(steps, "steps", VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  }

  upload_.commands = allocate_command_buffer(device, pool_.get());
  begin_commands(upload_.commands, 0);
  state.record_upload(upload_.commands);
  check(vkEndCommandBuffer(upload_.commands), "vkEndCommandBuffer");
  download_.commands = allocate_command_buffer(device, pool_.get());
  begin_commands(download_.commands, 0);
  state.record_download(download_.commands);
  check(vkEndCommandBuffer(download_.commands), "vkEndCommandBuffer");
}

void Recordings::count_queries() {
  const std::size_t decode = queries_of(phases_.decode), head = queries_of(phases_.head),
                    sample = queries_of(phases_.sample);
  const std::size_t prefills = queries_of(phases_.prefill) * prefill_sizes(program_.prefill_chunk).size();
  query_count_ = static_cast<std::uint32_t>(prefills + 2 * (decode + head + sample));
}

const Recording& Recordings::prefill(std::int64_t tokens) const {
  return std::find_if(prefills_.begin(), prefills_.end(), [&](const Prefill& p) { return p.tokens >= tokens; })
      ->recording;
}

const std::byte* Recordings::probe(std::size_t layer) const {
  return probes_.data() == nullptr ? nullptr : probes_.data() + static_cast<std::int64_t>(layer) * probe_stride_;
}

Recording Recordings::record(const std::vector<Part>& parts, const std::string& name, VkCommandBufferUsageFlags usage) {
  Recording recording;
  recording.commands = allocate_command_buffer(device_, pool_.get());
  recording.first_query = query_count_;
  recording.most_tokens = parts.front().most;
  device_.name(VK_OBJECT_TYPE_COMMAND_BUFFER, recording.commands, name);
  begin_commands(recording.commands, usage);
  if (options_.measure) {
    std::size_t queries = 1;
    for (const Part& part : parts) queries += part.phase->steps.size();
    vkCmdResetQueryPool(recording.commands, queries_.get(), query_count_, static_cast<std::uint32_t>(queries));
  }
  full_barrier(recording.commands);
  if (options_.measure) {
    vkCmdWriteTimestamp(recording.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), query_count_++);
  }
  HazardTracker hazards;
  for (const Part& part : parts) record_phase(recording, part, hazards);
  check(vkEndCommandBuffer(recording.commands), "vkEndCommandBuffer");
  return recording;
}

void Recordings::record_phase(Recording& recording, const Part& part, HazardTracker& hazards) {
  const VkCommandBuffer commands = recording.commands;
  std::size_t ends = 0;
  for (std::size_t i = 0; i <= part.phase->steps.size(); ++i) {
    for (; options_.probe && ends < part.phase->layer_ends.size() && part.phase->layer_ends[ends].step_count == i;
         ++ends) {
      record_probe(commands, part.phase->layer_ends[ends], ends);
      hazards.barrier();
    }
    if (i == part.phase->steps.size()) break;
    const Step& step = part.phase->steps[i];
    const Pipeline& pipeline = pipelines_[static_cast<std::size_t>(step.kernel)];
    const std::int64_t tokens = scaled_tokens(step.tokens, part.tokens, part.most);
    const std::int64_t tile_tokens = tiles_[static_cast<std::size_t>(step.kernel)].tokens;
    const std::int64_t y = (tokens + tile_tokens - 1) / tile_tokens;
    if (y > device_.limits().max_workgroup_count_y) {
      throw Error(
          ErrorKind::device,
          fmt::format("kernel {}: {} tokens at once are too many for {}; generate with a smaller "
                      "engine.prefill_chunk",
                      program_.kernels[static_cast<std::size_t>(step.kernel)].name, tokens, device_.info().name));
    }
    // Measured dispatches stand alone, so that a time belongs to one kernel.
    if (hazards.add(step.accesses) || options_.measure) shader_barrier(commands);
    const VkDescriptorSet set = sets_.of(step);
    const PushConstants constants{static_cast<std::uint32_t>(step.first_row),
                                  static_cast<std::uint32_t>(step.row_count)};
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout.get(), 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, &constants);
    vkCmdDispatch(commands, static_cast<std::uint32_t>(step.groups_x), static_cast<std::uint32_t>(y), 1);
    if (options_.measure) {
      vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), query_count_++);
      recording.measured.push_back(&step);
    }
  }
}

void Recordings::record_probe(VkCommandBuffer commands, const LayerEnd& end, std::size_t index) {
  const VkBufferCopy copy{static_cast<VkDeviceSize>(end.hidden_states.offset),
                          static_cast<VkDeviceSize>(static_cast<std::int64_t>(index) * probe_stride_),
                          static_cast<VkDeviceSize>(end.hidden_states.bytes)};
  full_barrier(commands);
  vkCmdCopyBuffer(commands, storage_.buffer(end.hidden_states.buffer).get(), probes_.get(), 1, &copy);
  full_barrier(commands);
}

}  // namespace monomorph::vulkan
