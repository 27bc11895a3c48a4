#include "runtime/vulkan/engine.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "runtime/engine/sampler.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"
#include "runtime/weights/fingerprint.hpp"

namespace monomorph::vulkan {
namespace {

constexpr std::int64_t longest_block = 8;

/// Whether the host sees logits of a run.
bool shows(const Run& run, const OnLogits& on_logits) { return run.logits != Logits::none && on_logits; }

}  // namespace

VulkanEngine::VulkanEngine(const Program& program, std::unique_ptr<Device> device, const HostWeights& weights,
                           const LoadOptions& options)
    : Engine(program),
      device_(std::move(device)),
      storage_(*device_, program, weights, options.progress),
      state_(*device_, program, storage_),
      recordings_(
          *device_, program, storage_, state_, facts_of(device_->physical()),
          {std::min(longest_block, program.decode_steps), options.profile, options.probe_layers, options.compiling}),
      fence_(make_fence(*device_)),
      totals_(program),
      measured_(options.profile),
      block_(std::min(longest_block, program.decode_steps)),
      weights_(fingerprint(weights)) {
  submission_.reserve(static_cast<std::size_t>(program.decode_steps) + 5);
  work_.reserve(static_cast<std::size_t>(program.decode_steps) + 3);
  tokens_.reserve(static_cast<std::size_t>(program.max_batch * program.decode_steps));
  ticks_.resize(recordings_.query_count());
  device_->instance().check_validation();
}

VulkanEngine::~VulkanEngine() = default;

/// Those of a run's tokens, then of so many drawn tokens that are inputs of passes of this submission.
void VulkanEngine::write_angles(const Run& run, std::int64_t drawn) {
  const auto count = static_cast<std::int64_t>(run.tokens.size());
  const std::int64_t first = position(run.slot);
  for (std::size_t i = 0; i < program_.rotary_angles.size(); ++i) {
    const RotaryFrequencies& rotary = program_.rotary_angles[i].rotary;
    std::span<const float> frequencies = frequencies_at(rotary, length_of(run), frequencies_);
    for (std::int64_t row = 0; row < count + drawn; ++row) {
      if (row >= count) frequencies = frequencies_at(rotary, first + row + 1, frequencies_);
      monomorph::write_angles(frequencies, rotary.factor, rotary.first_position + first + row, state_.angles(i, row));
    }
  }
  angle_rows_ = program_.rotary_angles.empty() ? 0 : count + drawn;
}

void VulkanEngine::write_tokens(const Run& run, std::int64_t drawn) {
  write_angles(run, drawn);
  const auto slot = static_cast<std::uint32_t>(run.slot);
  const auto first = static_cast<std::uint32_t>(position(run.slot));
  for (std::uint32_t t = 0; t < run.tokens.size(); ++t) {
    state_.tokens()[t] = {static_cast<std::uint32_t>(run.tokens[t]), first + t, slot, token_writes};
  }
  StepSlot& settings = state_.slots()[slot];
  settings = slot_at(run.slot).settings;
  settings.next_position = first + static_cast<std::uint32_t>(run.tokens.size());
  settings.angle_offset = 0u - first;
  state_.counts() = {static_cast<std::uint32_t>(run.tokens.size()), 0, 0, 1};
}

/// The logits of these rows of the last pass are wanted; the first of them draws.
void VulkanEngine::wanted_rows(std::int64_t slot, std::int64_t first, std::int64_t count, bool draw) {
  for (std::int64_t i = 0; i < count; ++i) {
    state_.rows()[static_cast<std::size_t>(i)] = {static_cast<std::uint32_t>(first + i),
                                                  static_cast<std::uint32_t>(slot)};
  }
  state_.counts().head_rows = static_cast<std::uint32_t>(count);
  state_.counts().draw_count = draw ? 1 : 0;
}

void VulkanEngine::submit(std::span<const Work> work) {
  submission_.clear();
  submission_.push_back(recordings_.upload(angle_rows_).commands);
  for (const Work& each : work) submission_.push_back(each.recording->commands);
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
  const Recording& recording = *work.recording;
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
                {command.row_count, command.counted(work.rows), work.position, work.rows, command.banks,
                 command.first_row, command.bank_rows, entries_of_bank(recording.measured[i], work.rows)},
                static_cast<double>(ticks) * physical.timestamp_nanoseconds * 1e-9);
  }
}

/// How many entries of the first `rows` rows of a pass had each bank; empty where none is chosen.
std::vector<std::int64_t> VulkanEngine::entries_of_bank(const Measured& measured, std::int64_t rows) const {
  if (measured.choice < 0) return {};
  const Command& command = *measured.command;
  std::vector<std::int64_t> entries(static_cast<std::size_t>(command.banks));
  const float* choice = recordings_.choice(measured);
  const std::int64_t stride = command.choice->bytes / 4 / program_.prefill_chunk;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t n = 0; n < command.per_row; ++n) {
      ++entries[std::min(static_cast<std::size_t>(choice[row * stride + n]), entries.size() - 1)];
    }
  }
  return entries;
}

/// Logits of every token but the last, as many rows at a time as the head serves; leaves the run's hidden states in
/// place.
void VulkanEngine::run_all_logits(std::size_t index, const Run& run, const OnLogits& on_logits) {
  const auto count = static_cast<std::int64_t>(run.tokens.size());
  for (std::int64_t first = 0; first < count - 1; first += program_.head_rows) {
    const std::int64_t rows = std::min(program_.head_rows, count - 1 - first);
    wanted_rows(run.slot, first, rows, false);
    const std::int64_t at = position(run.slot);
    submit(std::array<Work, 2>{{{&recordings_.head(rows), rows, at}, {&recordings_.download(rows), rows, at}}});
    for (std::int64_t row = 0; row < rows; ++row) on_logits(index, first + row, state_.logits(row));
  }
}

/// The head of the last token, then `draws` of them, each from the pass over the one before.
void VulkanEngine::run_last(std::size_t index, const Run& run, std::int64_t draws, const OnLogits& on_logits) {
  const auto count = static_cast<std::int64_t>(run.tokens.size());
  const bool shown = shows(run, on_logits);
  std::int64_t at = position(run.slot) + count - 1;  // of the token whose pass is worked on
  wanted_rows(run.slot, count - 1, 1, run.draw);
  work_.push_back({&recordings_.head(1), 1, at});
  if (run.draw) work_.push_back({&recordings_.sample(), 1, at});
  for (std::int64_t left = draws - 1; left > 0;) {
    const bool block = !measured_ && left >= block_;
    work_.push_back({block ? &recordings_.block() : &recordings_.step(), 1, ++at});
    left -= block ? block_ : 1;
  }
  work_.push_back({&recordings_.download(shown ? 1 : 0), 1, at});
  submit(work_);
  if (shown) on_logits(index, count - 1, state_.logits(0));
}

/// What a run's slot drew, appended to tokens_; the tokens of it that are in its states.
std::span<const std::int32_t> VulkanEngine::take_drawn(const Run& run) {
  const StepSlot& slot = state_.slots()[static_cast<std::size_t>(run.slot)];
  if ((slot.drawn == 0 && slot.wrong == 0) || slot.drawn > program_.decode_steps) {
    throw Error(ErrorKind::internal, fmt::format("the device reports {} tokens drawn", slot.drawn));
  }
  for (const std::uint32_t token : state_.drawn(run.slot).first(slot.drawn)) {
    tokens_.push_back(static_cast<std::int32_t>(token));
  }
  // Each was the input of a pass but the last, and that too where the pass over it gave logits that are wrong.
  const std::span<const std::int32_t> drawn = std::span<const std::int32_t>(tokens_).last(slot.drawn);
  return slot.wrong != 0 ? drawn : drawn.first(drawn.size() - 1);
}

/// One pass over a run, and passes ahead; draws go to tokens_.
void VulkanEngine::run_pass(std::size_t index, const Run& run, std::int64_t ahead, const OnLogits& on_logits) {
  const auto count = static_cast<std::int64_t>(run.tokens.size());
  each_outdated(run, [&](const Run& anew) { run_pass(index, anew, 0, {}); });
  // One draw where logits are shown, which the next pass would overwrite.
  const std::int64_t draws = !run.draw ? 0 : shows(run, on_logits) ? 1 : std::min(ahead, draws_alike(run));
  const std::int64_t drawn = std::max<std::int64_t>(draws - 1, 0);  // that are in states after it
  will_write(run.slot, count + drawn);
  write_tokens(run, drawn);
  work_.clear();
  work_.push_back({&recordings_.layers(count, run.prefill), count, position(run.slot)});
  if (run.logits == Logits::all && on_logits && count > 1) {
    submit(work_);
    work_.clear();
    run_all_logits(index, run, on_logits);
  }
  if (run.draw || shows(run, on_logits)) {
    run_last(index, run, draws, on_logits);
  } else {
    submit(work_);
  }
  has_written(run.slot, run.tokens, run.draw ? take_drawn(run) : std::span<const std::int32_t>{});
}

std::span<const Drawn> VulkanEngine::run_step(std::span<const Run> runs, std::int64_t ahead,
                                              const OnLogits& on_logits) {
  tokens_.clear();
  drawn_.clear();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run& run = runs[r];
    const std::size_t begin = tokens_.size();
    run_pass(r, run, ahead, on_logits);
    if (!run.draw) continue;
    const auto drawn = [&] { return static_cast<std::int64_t>(tokens_.size() - begin); };
    const StepSlot& slot = state_.slots()[static_cast<std::size_t>(run.slot)];
    while (drawn() < ahead && slot.done == 0) {
      const std::int32_t last = tokens_.back();
      run_pass(r, {run.slot, {&last, 1}, Logits::none, true, false}, ahead - drawn(), {});
    }
    const std::span<const std::int32_t> tokens = std::span<const std::int32_t>(tokens_).subspan(begin);
    drawn_.push_back({run.slot, tokens, !tokens.empty() && is_stop_token(tokens.back()), slot.wrong != 0});
  }
  return drawn_;
}

std::vector<std::vector<float>> ProbedVulkanEngine::probe(const Run& run) {
  validate_runs(*this, {&run, 1}, 1);
  const auto count = static_cast<std::int64_t>(run.tokens.size());
  each_outdated(run, [&](const Run& anew) { probe(anew); });
  will_write(run.slot, count);
  write_tokens(run, 0);
  const std::int64_t at = position(run.slot);
  submit(
      std::array<Work, 2>{{{&recordings_.layers(count, run.prefill), count, at}, {&recordings_.download(0), 0, at}}});
  has_written(run.slot, run.tokens);
  const auto hidden_size = static_cast<std::size_t>(program_.hidden_size);
  const std::int64_t stride = row_bytes<f32>(program_.hidden_size);
  std::vector<std::vector<float>> layers(recordings_.probed_layers());
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    layers[layer].resize(static_cast<std::size_t>(count) * hidden_size);
    for (std::int64_t token = 0; token < count; ++token) {
      std::memcpy(layers[layer].data() + static_cast<std::size_t>(token) * hidden_size,
                  recordings_.probe(layer) + token * stride, hidden_size * sizeof(float));
    }
  }
  return layers;
}

}  // namespace monomorph::vulkan
