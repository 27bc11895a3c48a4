#include "runtime/reference/reference_engine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/engine/sampler.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph {

ReferenceEngine::ReferenceEngine(const Program& program, HostWeights weights)
    : Engine(program),
      weights_(std::move(weights)),
      reference_(program.make_reference(weights_)),
      lengths_(static_cast<std::size_t>(program.max_batch)),
      logits_(static_cast<std::size_t>(program.output_size)) {}

std::vector<double> ReferenceEngine::append(const Run& run, std::vector<std::vector<double>>* layers) {
  each_outdated(run, [this](const Run& anew) { append(anew, nullptr); });
  will_write(run.slot, static_cast<std::int64_t>(run.tokens.size()));
  std::vector<double> hidden = pass(run.slot, run.tokens, position(run.slot), length_of(run), layers, run.types);
  has_written(run.slot, run.tokens);
  return hidden;
}

std::vector<double> ReferenceEngine::pass(std::int64_t slot, std::span<const std::int32_t> tokens,
                                          std::int64_t first_position, std::int64_t length,
                                          std::vector<std::vector<double>>* layers,
                                          std::span<const std::int32_t> types) {
  choices_.begin_pass(slot, first_position, layers);
  const reference::InPass in_pass(choices_);
  lengths_of(slot).resize(static_cast<std::size_t>(first_position));
  lengths_of(slot).insert(lengths_of(slot).end(), tokens.size(), length);
  return reference_->layers(slot, tokens, first_position, length, layers, types);
}

void ReferenceEngine::run_encode(std::span<const Source> sources) {
  for (const Source& source : sources) read_source(source.slot, source.tokens, nullptr);
}

void ReferenceEngine::read_source(std::int64_t slot, std::span<const std::int32_t> tokens,
                                  std::vector<std::vector<double>>* layers) {
  choices_.begin_pass(-1 - slot, 0, layers);  // a source's choices are none of the sequence's
  const reference::InPass in_pass(choices_);
  reference_->encode(slot, tokens, layers);
}

std::vector<float> ReferenceEngine::read_hidden_states(std::int64_t rows) {
  return {hidden_.begin(), hidden_.begin() + rows * program_.hidden_size};
}

void ReferenceEngine::copy_states(const HeldStates& from, std::int64_t to) {
  reference_->copy(from.slot, to);
  lengths_of(to) = lengths_of(from.slot);
}

std::vector<std::byte> ReferenceEngine::save_states(const HeldStates& held) {
  const auto bytes = std::as_bytes(std::span(lengths_of(held.slot)).first(static_cast<std::size_t>(held.position)));
  return {bytes.begin(), bytes.end()};
}

void ReferenceEngine::restore_states(const HeldStates& held, std::span<const std::int32_t> source,
                                     std::span<const std::int32_t> tokens, std::span<const std::byte> bytes) {
  std::vector<std::int64_t> lengths(tokens.size());
  const auto own = std::as_writable_bytes(std::span(lengths));
  if (own.size() == bytes.size()) std::copy(bytes.begin(), bytes.end(), own.begin());
  if (own.size() != bytes.size() || std::any_of(lengths.begin(), lengths.end(), [&](std::int64_t length) {
        return length < 1 || length > program_.max_sequence_length;
      })) {
    throw Error(ErrorKind::rejected,
                fmt::format("what the saved slot has of lengths is not that of its {} tokens; append the tokens again",
                            tokens.size()));
  }
  if (!source.empty()) read_source(held.slot, source, nullptr);
  std::size_t first = 0;
  while (first < tokens.size()) {
    std::size_t count = 1;
    while (count < static_cast<std::size_t>(program_.prefill_chunk) && first + count < tokens.size() &&
           lengths[first + count] == lengths[first]) {
      ++count;
    }
    pass(held.slot, tokens.subspan(first, count), static_cast<std::int64_t>(first), lengths[first], nullptr);
    first += count;
  }
}

std::span<const float> ReferenceEngine::logits_of(std::span<const double> hidden, std::int64_t row) {
  const std::vector<double> logits = reference_->head(hidden, {&row, 1});
  std::transform(logits.begin(), logits.end(), logits_.begin(), [](double value) { return static_cast<float>(value); });
  return logits_;
}

std::span<const Drawn> ReferenceEngine::run_step(std::span<const Run> runs, std::int64_t ahead,
                                                 const OnLogits& on_logits) {
  tokens_.assign(runs.size(), {});
  drawn_.clear();
  hidden_.clear();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run& run = runs[r];
    std::vector<double> hidden = append(run, nullptr);
    hidden_.insert(hidden_.end(), hidden.begin(), hidden.end());
    const auto count = static_cast<std::int64_t>(run.tokens.size());
    const bool wanted = run.logits != Logits::none && on_logits;
    const std::int64_t end = wanted ? run.end_shown() : count;
    for (std::int64_t row = wanted ? run.first_shown() : count - 1; row < end && (wanted || run.draw); ++row) {
      const std::span<const float> logits = logits_of(hidden, program_.pooling == Pooling::cls ? 0 : row);
      if (wanted) on_logits(r, row, logits);
    }
    if (!run.draw) continue;
    const StepSlot& settings = slot_at(run.slot).settings;
    Drawn drawn{run.slot, {}};
    while (true) {
      drawn.wrong = !are_finite(logits_);
      if (drawn.wrong) break;
      const auto at = static_cast<std::uint32_t>(position(run.slot));
      tokens_[r].push_back(static_cast<std::int32_t>(sample_token(logits_, settings, at)));
      drawn.stopped = is_stop_token(tokens_[r].back());
      const bool ends = drawn.stopped || at >= settings.stop_position;
      if (ends || static_cast<std::int64_t>(tokens_[r].size()) == ahead) break;
      hidden = append({run.slot, {&tokens_[r].back(), 1}}, nullptr);
      logits_of(hidden, 0);
    }
    drawn.tokens = tokens_[r];
    drawn_.push_back(drawn);
  }
  return drawn_;
}

std::vector<std::vector<double>> ReferenceEngine::hidden_states(std::span<const std::int32_t> tokens, std::int64_t slot,
                                                                std::int64_t length) {
  validate_tokens(program_, slot, position(slot), tokens);
  if (length == 0) length = position(slot) + static_cast<std::int64_t>(tokens.size());
  std::vector<std::vector<double>> states;
  while (!tokens.empty()) {
    const std::size_t count = std::min(tokens.size(), static_cast<std::size_t>(program_.prefill_chunk));
    std::vector<std::vector<double>> layers;
    append({slot, tokens.first(count), Logits::none, false, length}, &layers);
    states.resize(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i)
      states[i].insert(states[i].end(), layers[i].begin(), layers[i].end());
    tokens = tokens.subspan(count);
  }
  return states;
}

std::vector<std::vector<double>> ReferenceEngine::source_states(std::int64_t slot) {
  std::vector<std::vector<double>> layers;
  read_source(slot, source(slot), &layers);
  return layers;
}

}  // namespace monomorph
