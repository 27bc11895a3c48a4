#include "runtime/vulkan/engine.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime/sampler.hpp"
#include "runtime/validate.hpp"
#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {
namespace {

constexpr std::int64_t longest_block = 8;
// A submission is as long as a reader waits without noticing: longer ones would print in bursts.
constexpr double submission_seconds = 0.1;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

VulkanEngine::VulkanEngine(const Program& program, std::unique_ptr<Device> device, const HostWeights& weights,
                           const LoadOptions& options)
    : program_(program),
      device_(std::move(device)),
      storage_(*device_, program, weights, options.progress),
      state_(*device_, program, storage_),
      recordings_(*device_, program, storage_, state_, facts_of(device_->physical()),
                  {std::min(longest_block, program.decode_steps), options.profile, options.probe_layers}),
      fence_(make_fence(*device_)),
      totals_(program),
      measured_(options.profile),
      block_(std::min(longest_block, program.decode_steps)),
      logits_(static_cast<std::size_t>(program.vocab_size)) {
  if (state_.logits().size() < logits_.size() ||
      state_.token_ids().size() < static_cast<std::size_t>(program.prefill_chunk) ||
      state_.generated().size() < static_cast<std::size_t>(program.decode_steps) || program.decode_steps < 1) {
    throw Error(ErrorKind::internal, "the program's state has too little room for its tokens or logits");
  }
  submission_.reserve(static_cast<std::size_t>(program.decode_steps) + 5);
  steps_.reserve(static_cast<std::size_t>(program.decode_steps));
  ticks_.resize(recordings_.query_count());
  device_->instance().check_validation();
}

VulkanEngine::~VulkanEngine() = default;

SequenceRequest VulkanEngine::request(std::int64_t seq_len) const {
  SequenceRequest request;
  request.position = static_cast<std::uint32_t>(position_);
  request.seq_len = static_cast<std::uint32_t>(seq_len);
  request.logits_row = static_cast<std::uint32_t>(seq_len - 1);
  request.stop_position = static_cast<std::uint32_t>(program_.max_sequence_length);
  return request;
}

void VulkanEngine::write(const SequenceRequest& request) const { program_.write_state(request, state_.sequence()); }

void VulkanEngine::run(std::span<const Recording* const> work, std::int64_t seq_len) {
  submission_.clear();
  submission_.push_back(recordings_.upload().commands);
  for (const Recording* recording : work) submission_.push_back(recording->commands);
  submission_.push_back(recordings_.download().commands);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = static_cast<std::uint32_t>(submission_.size());
  submit.pCommandBuffers = submission_.data();
  const VkFence fence = fence_.get();
  check(vkQueueSubmit(device_->queue(), 1, &submit, fence), "vkQueueSubmit");
  check(vkWaitForFences(device_->get(), 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  check(vkResetFences(device_->get(), 1, &fence), "vkResetFences");
  device_->instance().check_validation();
  if (!measured_) return;
  for (const Recording* recording : work) collect(*recording, seq_len);
}

void VulkanEngine::collect(const Recording& recording, std::int64_t seq_len) {
  const auto count = static_cast<std::uint32_t>(recording.measured.size() + 1);
  check(vkGetQueryPoolResults(device_->get(), recordings_.queries(), recording.first_query, count,
                              count * sizeof(std::uint64_t), ticks_.data(), sizeof(std::uint64_t),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
  const PhysicalDevice& physical = device_->physical();
  for (std::size_t i = 0; i < recording.measured.size(); ++i) {
    const Step& step = *recording.measured[i];
    const std::uint64_t ticks = (ticks_[i + 1] - ticks_[i]) & physical.timestamp_mask;
    const std::int64_t tokens =
        scaled_tokens(step.tokens, std::min(seq_len, recording.most_tokens), recording.most_tokens);
    totals_.add(step.kernel, {step.row_count, tokens, position_, seq_len},
                static_cast<double>(ticks) * physical.timestamp_nanoseconds * 1e-9);
  }
}

std::span<const float> VulkanEngine::take_logits() {
  std::copy_n(state_.logits().begin(), logits_.size(), logits_.begin());
  validate_logits(program_, logits_);
  return logits_;
}

void VulkanEngine::append(std::span<const std::int32_t> tokens, const Call& call) {
  while (!tokens.empty()) {
    const auto count =
        static_cast<std::int64_t>(std::min(tokens.size(), static_cast<std::size_t>(program_.prefill_chunk)));
    std::copy_n(tokens.begin(), count, state_.token_ids().begin());
    tokens = tokens.subspan(static_cast<std::size_t>(count));
    const bool last = tokens.empty();
    SequenceRequest chunk = request(count);
    const Recording* layers = &recordings_.prefill(count);
    if (last && call.after == After::head_and_sample) {
      SequenceRequest sampling = call.sampling;
      sampling.position = chunk.position;
      sampling.seq_len = chunk.seq_len;
      sampling.logits_row = chunk.logits_row;
      write(sampling);
      run({layers, &recordings_.head(), &recordings_.sample()}, count);
    } else if (last && call.after == After::head) {
      write(chunk);
      run({layers, &recordings_.head()}, count);
    } else {
      write(chunk);
      run({layers}, count);
    }
    if (call.after == After::probe) read_probes(count, *call.layers);
    if (call.after == After::head_of_each) {
      for (std::int64_t row = 0; row < count; ++row) {
        chunk.logits_row = static_cast<std::uint32_t>(row);
        write(chunk);
        run({&recordings_.head()}, 1);
        (*call.row)(take_logits());
      }
    }
    position_ += count;
  }
}

std::span<const float> VulkanEngine::prefill(std::span<const std::int32_t> tokens) {
  validate_tokens(program_, position_, tokens);
  append(tokens, {});
  return take_logits();
}

void VulkanEngine::prefill_all(std::span<const std::int32_t> tokens,
                               const std::function<void(std::span<const float>)>& row) {
  validate_tokens(program_, position_, tokens);
  Call call;
  call.after = After::head_of_each;
  call.row = &row;
  append(tokens, call);
}

std::span<const float> VulkanEngine::decode(std::int32_t token) {
  validate_tokens(program_, position_, {&token, 1});
  state_.token_ids()[0] = static_cast<std::uint32_t>(token);
  write(request(1));
  run({&recordings_.decode(), &recordings_.head()}, 1);
  ++position_;
  return take_logits();
}

// A drawn token is in the cache only once it has been the input of a step: the last one never is, and is the next
// call's to append.
Engine::Generation VulkanEngine::generate(std::span<const std::int32_t> prompt, std::int64_t count,
                                          const Sampling& sampling, const std::function<bool(std::int32_t)>& token) {
  validate_generation(program_, position_, prompt, count, sampling);
  Generation generation;
  const auto prefill_start = std::chrono::steady_clock::now();
  Draw draw{position_ + static_cast<std::int64_t>(prompt.size()), count,
            sampling_request(sampling, program_.eos_tokens), token};
  draw.sampling.stop_position = static_cast<std::uint32_t>(
      std::min(program_.max_sequence_length, draw.first_position + std::max<std::int64_t>(count, 1) - 1));
  Call call;
  if (count > 0) {
    call.after = After::head_and_sample;
    call.sampling = draw.sampling;
  }
  append(prompt, call);
  generation.prefill_seconds = seconds_since(prefill_start);
  if (count == 0) return generation;

  const auto decode_start = std::chrono::steady_clock::now();
  while (take_drawn(draw, generation)) run_steps(draw, generation);
  generation.decode_seconds = seconds_since(decode_start);
  return generation;
}

bool VulkanEngine::take_drawn(const Draw& draw, Generation& generation) {
  const SequenceReport report = program_.read_state(state_.sequence());
  const std::span<const std::uint32_t> drawn = state_.generated();
  if (report.generated == 0 || report.generated > drawn.size()) {
    throw Error(ErrorKind::internal, fmt::format("the device reports {} tokens drawn", report.generated));
  }
  validate_logits(program_, state_.logits().first(logits_.size()));
  bool wanted = true;
  for (std::uint32_t i = 0; i < report.generated && wanted; ++i) {
    if (static_cast<std::int64_t>(generation.tokens.size()) == draw.count) break;
    const std::uint32_t id = drawn[i];
    generation.tokens.push_back(static_cast<std::int32_t>(id));
    generation.stopped =
        std::find(program_.eos_tokens.begin(), program_.eos_tokens.end(), id) != program_.eos_tokens.end();
    wanted = (!draw.token || draw.token(static_cast<std::int32_t>(id))) && !generation.stopped;
  }
  const auto tokens = static_cast<std::int64_t>(generation.tokens.size());
  position_ = draw.first_position + tokens - 1;
  generation.full = !generation.stopped && position_ >= program_.max_sequence_length;
  return wanted && !generation.full && tokens < draw.count;
}

void VulkanEngine::run_steps(const Draw& draw, const Generation& generation) {
  std::int64_t count = 1;
  if (!measured_ && step_seconds_ > 0) {
    const double fitting = std::min(submission_seconds / step_seconds_, static_cast<double>(program_.decode_steps));
    count = std::max<std::int64_t>(1, static_cast<std::int64_t>(fitting));
    count = std::min(count, draw.count - static_cast<std::int64_t>(generation.tokens.size()));
  }
  steps_.clear();
  for (std::int64_t left = count; left > 0;) {
    const bool block = !measured_ && left >= block_;
    steps_.push_back(block ? &recordings_.steps() : &recordings_.step());
    left -= block ? block_ : 1;
  }
  SequenceRequest next = draw.sampling;
  next.position = static_cast<std::uint32_t>(position_);
  next.seq_len = 1;
  next.logits_row = 0;
  state_.token_ids()[0] = static_cast<std::uint32_t>(generation.tokens.back());
  write(next);
  const auto start = std::chrono::steady_clock::now();
  run(steps_, 1);
  step_seconds_ = seconds_since(start) / static_cast<double>(count);
}

void VulkanEngine::read_probes(std::int64_t tokens, std::vector<std::vector<float>>& layers) const {
  const auto hidden_size = static_cast<std::size_t>(program_.hidden_size);
  const std::int64_t stride = row_bytes<f32>(program_.hidden_size);
  layers.resize(recordings_.probed_layers());
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    for (std::int64_t token = 0; token < tokens; ++token) {
      const std::size_t at = layers[layer].size();
      layers[layer].resize(at + hidden_size);
      std::memcpy(layers[layer].data() + at, recordings_.probe(layer) + token * stride, hidden_size * sizeof(float));
    }
  }
}

std::vector<std::vector<float>> ProbedVulkanEngine::probe_prefill(std::span<const std::int32_t> tokens) {
  validate_tokens(program_, position_, tokens);
  std::vector<std::vector<float>> layers;
  Call call;
  call.after = After::probe;
  call.layers = &layers;
  append(tokens, call);
  return layers;
}

std::vector<std::vector<float>> ProbedVulkanEngine::probe_decode(std::int32_t token) {
  validate_tokens(program_, position_, {&token, 1});
  state_.token_ids()[0] = static_cast<std::uint32_t>(token);
  write(request(1));
  run({&recordings_.decode()}, 1);
  ++position_;
  std::vector<std::vector<float>> layers;
  read_probes(1, layers);
  return layers;
}

}  // namespace monomorph::vulkan
