#include "runtime/reference_engine.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/sampler.hpp"
#include "runtime/validate.hpp"

namespace monomorph {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ReferenceEngine::ReferenceEngine(const Program& program, HostWeights weights)
    : program_(program), weights_(std::move(weights)), reference_(program.make_reference(weights_)) {
  logits_.resize(static_cast<std::size_t>(program.vocab_size));
}

// In chunks as a device takes them: the logits of all tokens of a long prompt at once would be gigabytes.
void ReferenceEngine::append(std::span<const std::int32_t> tokens,
                             const std::function<void(std::span<const float>)>& row,
                             std::vector<std::vector<double>>* hidden_states) {
  const auto vocab_size = static_cast<std::size_t>(program_.vocab_size);
  while (!tokens.empty()) {
    const std::size_t count = std::min(tokens.size(), static_cast<std::size_t>(program_.prefill_chunk));
    std::vector<std::vector<double>> layers;
    const std::vector<double> logits =
        reference_->forward(tokens.first(count), position_, hidden_states != nullptr ? &layers : nullptr);
    position_ += static_cast<std::int64_t>(count);
    tokens = tokens.subspan(count);
    if (hidden_states != nullptr) {
      hidden_states->resize(layers.size());
      for (std::size_t i = 0; i < layers.size(); ++i) {
        (*hidden_states)[i].insert((*hidden_states)[i].end(), layers[i].begin(), layers[i].end());
      }
    }
    for (std::size_t t = row ? 0 : count - 1; t < count; ++t) {
      std::transform(logits.begin() + static_cast<std::ptrdiff_t>(t * vocab_size),
                     logits.begin() + static_cast<std::ptrdiff_t>((t + 1) * vocab_size), logits_.begin(),
                     [](double value) { return static_cast<float>(value); });
      validate_logits(program_, logits_);
      if (row) row(logits_);
    }
  }
}

std::span<const float> ReferenceEngine::prefill(std::span<const std::int32_t> tokens) {
  validate_tokens(program_, position_, tokens);
  append(tokens, nullptr, nullptr);
  return logits_;
}

void ReferenceEngine::prefill_all(std::span<const std::int32_t> tokens,
                                  const std::function<void(std::span<const float>)>& row) {
  validate_tokens(program_, position_, tokens);
  append(tokens, row, nullptr);
}

std::span<const float> ReferenceEngine::decode(std::int32_t token) { return prefill({&token, 1}); }

std::vector<std::vector<double>> ReferenceEngine::hidden_states(std::span<const std::int32_t> tokens) {
  validate_tokens(program_, position_, tokens);
  std::vector<std::vector<double>> states;
  append(tokens, nullptr, &states);
  return states;
}

// A drawn token is appended only when the next one is wanted: the last one is the next call's to append.
Engine::Generation ReferenceEngine::generate(std::span<const std::int32_t> prompt, std::int64_t count,
                                             const Sampling& sampling, const std::function<bool(std::int32_t)>& token) {
  validate_generation(program_, position_, prompt, count, sampling);
  const SequenceRequest request = sampling_request(sampling, program_.eos_tokens);
  Generation generation;
  const auto prefill_start = std::chrono::steady_clock::now();
  append(prompt, nullptr, nullptr);
  generation.prefill_seconds = seconds_since(prefill_start);

  const auto decode_start = std::chrono::steady_clock::now();
  while (static_cast<std::int64_t>(generation.tokens.size()) < count) {
    const std::uint32_t id = sample_token(logits_, request, static_cast<std::uint32_t>(position_));
    generation.tokens.push_back(static_cast<std::int32_t>(id));
    const auto stop_tokens = std::span(request.eos_tokens).first(request.eos_count);
    generation.stopped = std::find(stop_tokens.begin(), stop_tokens.end(), id) != stop_tokens.end();
    generation.full = !generation.stopped && position_ >= program_.max_sequence_length;
    const bool wanted = token ? token(static_cast<std::int32_t>(id)) : true;
    if (!wanted || generation.stopped || generation.full) break;
    if (static_cast<std::int64_t>(generation.tokens.size()) < count)
      append({&generation.tokens.back(), 1}, nullptr, nullptr);
  }
  generation.decode_seconds = seconds_since(decode_start);
  return generation;
}

}  // namespace monomorph
