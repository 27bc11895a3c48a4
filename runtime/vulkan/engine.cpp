#include "runtime/vulkan/engine.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runtime/engine/sampler.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"
#include "runtime/weights/fingerprint.hpp"

namespace monomorph::vulkan {
namespace {

constexpr std::int64_t longest_block = 8;

}  // namespace

VulkanEngine::VulkanEngine(const Program& program, std::unique_ptr<Device> device, const HostWeights& weights,
                           const LoadOptions& options)
    : PassEngine(program, options.profile, {std::min(longest_block, program.decode_steps), program.decode_steps}),
      device_(std::move(device)),
      storage_(*device_, program, weights, options.progress),
      state_(*device_, program, storage_),
      recordings_(*device_, program, storage_, state_, facts_of(device_->physical()),
                  {passes().block, options.profile, options.probe_layers, options.invariant, options.compiling}),
      fence_(make_fence(*device_)),
      totals_(program),
      measured_(options.profile),
      invariant_(options.invariant),
      weights_(fingerprint(weights)) {
  set_host(state_.view());
  submission_.reserve(static_cast<std::size_t>(program.decode_steps) + 5);
  ticks_.resize(recordings_.query_count());
  device_->instance().check_validation();
}

VulkanEngine::~VulkanEngine() = default;

const Recording& VulkanEngine::recording_of(const Work& work) const {
  switch (work.part) {
    case Part::encode:
      return recordings_.encode(work.rows);
    case Part::layers:
      return recordings_.layers(work.rows);
    case Part::head:
      return recordings_.head(work.rows);
    case Part::sample:
      return recordings_.sample(work.rows);
    case Part::step:
      return recordings_.step(work.rows);
    case Part::block:
      return recordings_.block(work.rows);
    case Part::download:
      return recordings_.download(work.rows);
  }
  throw Error(ErrorKind::internal, "a submission of no part of a pass");
}

void VulkanEngine::submit(std::span<const Work> work) {
  submission_.clear();
  submission_.push_back(recordings_.upload(angle_rows()).commands);
  for (const Work& each : work) submission_.push_back(recording_of(each).commands);
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = static_cast<std::uint32_t>(submission_.size());
  info.pCommandBuffers = submission_.data();
  const VkFence fence = fence_.get();
  check(vkQueueSubmit(device_->queue(), 1, &info, fence), "vkQueueSubmit");
  check(vkWaitForFences(device_->get(), 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  check(vkResetFences(device_->get(), 1, &fence), "vkResetFences");
  device_->instance().check_validation();
  if (!measured_) return;
  for (const Work& each : work) collect(each);
}

void VulkanEngine::collect(const Work& work) {
  const Recording& recording = recording_of(work);
  if (recording.measured.empty()) return;
  const auto count = static_cast<std::uint32_t>(recording.measured.size() + 1);
  check(vkGetQueryPoolResults(device_->get(), recordings_.queries(), recording.first_query, count,
                              count * sizeof(std::uint64_t), ticks_.data(), sizeof(std::uint64_t),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
  const PhysicalDevice& physical = device_->physical();
  for (std::size_t i = 0; i < recording.measured.size(); ++i) {
    if (recording.measured[i].command == nullptr) continue;
    const Command& command = *recording.measured[i].command;
    const std::uint64_t ticks = (ticks_[i + 1] - ticks_[i]) & physical.timestamp_mask;
    totals_.add(command.kernel,
                {command.row_count, command.counted(work.rows), work.runs, command.banks, command.first_row,
                 command.bank_rows, entries_of_bank(recording.measured[i], work.rows)},
                static_cast<double>(ticks) * physical.timestamp_nanoseconds * 1e-9);
  }
}

/// How many entries of the first `rows` rows of a pass had each bank; empty where none is chosen.
std::vector<std::int64_t> VulkanEngine::entries_of_bank(const Measured& measured, std::int64_t rows) const {
  if (measured.choice < 0) return {};
  const Command& command = *measured.command;
  const std::int64_t stride = command.choice->bytes / 4 / program_.prefill_chunk;
  return count_entries(recordings_.choice(measured), stride, rows, command.per_row, command.banks);
}

std::vector<float> VulkanEngine::read_hidden_states(std::int64_t rows) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows * row_bytes<f32>(program_.hidden_size)));
  slot_states().read(program_.hidden_states, bytes);
  return without_padding(bytes.data(), rows, program_.hidden_size);
}

std::vector<std::vector<float>> ProbedVulkanEngine::probe(std::span<const Run> runs) {
  validate_runs(*this, runs, 1);
  for (const Run& run : runs) {
    each_outdated(run, [&](const Run& anew) { probe({&anew, 1}); });
  }
  const std::int64_t rows = run_layers(runs);
  std::vector<std::vector<float>> layers(recordings_.probed_layers(Stage::layers));
  take_probes(rows, program_.hidden_size, layers);
  return layers;
}

std::vector<std::vector<float>> ProbedVulkanEngine::probe_sources(std::span<const Source> sources) {
  source_layers_.assign(recordings_.probed_layers(Stage::encode), {});
  encode(sources);
  return std::move(source_layers_);
}

void ProbedVulkanEngine::run_encode(std::span<const Source> sources) {
  VulkanEngine::run_encode(sources);
  take_probes(static_cast<std::int64_t>(host().counts().token_count), program_.encoder_hidden_size, source_layers_);
}

void ProbedVulkanEngine::take_probes(std::int64_t rows, std::int64_t columns,
                                     std::vector<std::vector<float>>& layers) const {
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const std::vector<float> states = without_padding(recordings_.probe(layer), rows, columns);
    layers[layer].insert(layers[layer].end(), states.begin(), states.end());
  }
}

}  // namespace monomorph::vulkan
