#include "tests/runtime/vulkan/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/safetensors_writer.hpp"

namespace monomorph::test {
namespace {

constexpr std::int64_t operations = 8;  ///< of a schedule
constexpr std::int32_t spoiling = 7;    ///< the token that spoils

class ToySlots final : public Reference {
 public:
  explicit ToySlots(const HostWeights& weights) : weights_(weights), tokens_(toy_max_batch), sources_(toy_max_batch) {}

  std::vector<double> layers(std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t first_position,
                             std::int64_t, std::vector<std::vector<double>>*,
                             std::span<const std::int32_t> = {}) override {
    std::vector<std::int32_t>& all = tokens_[static_cast<std::size_t>(slot)];
    all.resize(static_cast<std::size_t>(first_position));
    all.insert(all.end(), tokens.begin(), tokens.end());
    ToyReference toy(weights_, sources_[static_cast<std::size_t>(slot)]);
    std::vector<double> hidden;
    for (std::size_t t = 0; t < all.size(); ++t) {
      const std::vector<double> row = toy.hidden(all[t]);
      if (t >= static_cast<std::size_t>(first_position)) hidden.insert(hidden.end(), row.begin(), row.end());
    }
    return hidden;
  }
  std::vector<double> head(std::span<const double> hidden, std::span<const std::int64_t> rows) override {
    std::vector<double> logits;
    for (const std::int64_t row : rows) {
      const auto one = hidden.subspan(static_cast<std::size_t>(row * toy_hidden_size), toy_hidden_size);
      const std::vector<double> of_row = ToyReference(weights_).logits(one);
      logits.insert(logits.end(), of_row.begin(), of_row.end());
    }
    return logits;
  }
  void copy(std::int64_t from, std::int64_t to) override {
    tokens_[static_cast<std::size_t>(to)] = tokens_[static_cast<std::size_t>(from)];
    sources_[static_cast<std::size_t>(to)] = sources_[static_cast<std::size_t>(from)];
  }
  void encode(std::int64_t slot, std::span<const std::int32_t> tokens, std::vector<std::vector<double>>*) override {
    sources_[static_cast<std::size_t>(slot)].assign(tokens.begin(), tokens.end());
    tokens_[static_cast<std::size_t>(slot)].clear();
  }

 private:
  const HostWeights& weights_;
  std::vector<std::vector<std::int32_t>> tokens_, sources_;
};

using Tokens = std::vector<std::int32_t>;

class Schedules {
 public:
  Schedules(const std::function<std::unique_ptr<Engine>()>& make, const HostWeights& weights, std::uint64_t seed)
      : weights_(weights),
        engine_(make()),
        other_(make()),
        random_(seed),
        slots_(toy_max_batch),
        sources_(toy_max_batch),
        began_(toy_max_batch, none) {
    if (answers()) give({0, 1, 2});
  }

  /// One schedule; what went wrong, if anything.
  std::string run() {
    for (std::int64_t i = 0; i < operations && fault_.empty(); ++i) {
      switch (below(answers() ? 11 : 8)) {
        case 0:
        case 1:
        case 2:
          step();
          break;
        case 3:
          generate();
          break;
        case 4:
          rewind();
          break;
        case 5:
          copy();
          break;
        case 6:
          move();
          break;
        case 7:
          decode();
          break;
        default:
          encode();
          break;
      }
      for (std::int64_t slot = 0; slot < toy_max_batch; ++slot) {
        if (!std::ranges::equal(engine_->sequence(slot), of(slot))) fail(slot, "holds other tokens");
        if (!std::ranges::equal(engine_->source(slot), source_of(slot))) fail(slot, "answers to another source");
      }
    }
    return fault_;
  }

 private:
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(count));
  }
  std::int64_t any_slot() { return below(toy_max_batch); }
  bool answers() const { return engine_->program().max_source_length > 0; }
  /// Whether states hold what all tokens have made, and not what each has.
  bool remembers() const { return engine_->program().states.front().kind == StateKind::recurrent; }
  Tokens& of(std::int64_t slot) { return slots_[static_cast<std::size_t>(slot)]; }
  Tokens& source_of(std::int64_t slot) { return sources_[static_cast<std::size_t>(slot)]; }
  std::int64_t room(std::int64_t slot) { return toy_max_sequence_length - static_cast<std::int64_t>(of(slot).size()); }
  /// Where the last submission began in a slot's sequence; `none` where nothing holds what was there, `unknown` where
  /// the call may have made several.
  std::int64_t& began(std::int64_t slot) { return began_[static_cast<std::size_t>(slot)]; }
  static constexpr std::int64_t none = -1, unknown = -2;
  /// Whether a slot that is to go back to a position goes back to the last one that its states are of.
  bool is_last_kept(std::int64_t slot, std::int64_t position, std::int64_t kept) {
    if (!remembers() || position == static_cast<std::int64_t>(of(slot).size())) return kept == position;
    if (began(slot) == unknown) return kept <= position;
    return kept == (began(slot) <= position ? std::max<std::int64_t>(began(slot), 0) : 0);
  }
  void fail(std::int64_t slot, const std::string& what) {
    if (fault_.empty()) fault_ = fmt::format("slot {} at {}: {}", slot, of(slot).size(), what);
  }
  /// Now and then a token after which all logits of the slot are no numbers.
  std::int32_t any_token() {
    return static_cast<std::int32_t>(below(60) == 0 ? spoiling : 8 + below(toy_vocab_size - 8));
  }
  Tokens any_tokens(std::int64_t most) {
    Tokens tokens(static_cast<std::size_t>(1 + below(most)));
    for (std::int32_t& token : tokens) token = any_token();
    return tokens;
  }
  static bool spoilt(const Tokens& tokens) { return std::ranges::find(tokens, spoiling) != tokens.end(); }

  /// After these tokens, in a slot with this source.
  std::vector<double> logits_of(const Tokens& source, const Tokens& tokens) const {
    ToyReference toy(weights_, source);
    std::vector<double> hidden;
    for (const std::int32_t token : tokens) hidden = toy.hidden(token);
    return toy.logits(hidden);
  }
  void compare(std::int64_t slot, const Tokens& tokens, std::span<const float> logits) {
    if (spoilt(tokens)) {
      if (std::ranges::all_of(logits, [](float x) { return std::isfinite(x); })) fail(slot, "logits are numbers");
      return;
    }
    const std::vector<double> expected = logits_of(source_of(slot), tokens);
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (i == spoiling) continue;  // far from the others
      error += std::pow(logits[i] - expected[i], 2);
      norm += std::pow(expected[i], 2);
    }
    if (!(error <= 1e-10 * norm)) fail(slot, fmt::format("logits are off by {:.1e}", std::sqrt(error / norm)));
  }
  /// Whether a token is the likeliest after these, or one as likely as floats tell.
  bool is_likeliest(const Tokens& source, const Tokens& tokens, std::int32_t token) const {
    const std::vector<double> logits = logits_of(source, tokens);
    const double largest = *std::ranges::max_element(logits);
    return largest - logits[static_cast<std::size_t>(token)] <= 1e-5 * std::abs(largest);
  }

  /// Tokens drawn after a slot's sequence, each the likeliest; the last is in no state.
  void take_drawn(const Drawn& drawn, std::int64_t ahead, std::int64_t stop) {
    Tokens& tokens = of(drawn.slot);
    if (drawn.wrong != spoilt(tokens)) return fail(drawn.slot, "is told to be wrong, or is not");
    if (drawn.wrong) return;
    const std::int64_t expected = std::min(ahead, stop - static_cast<std::int64_t>(tokens.size()) + 1);
    if (static_cast<std::int64_t>(drawn.tokens.size()) != expected) {
      return fail(drawn.slot, fmt::format("drew {} tokens of {}", drawn.tokens.size(), expected));
    }
    for (std::size_t i = 0; i < drawn.tokens.size(); ++i) {
      if (!is_likeliest(source_of(drawn.slot), tokens, drawn.tokens[i])) {
        return fail(drawn.slot, "drew another token than the likeliest");
      }
      if (i + 1 < drawn.tokens.size()) tokens.push_back(drawn.tokens[i]);
    }
  }

  void step() {
    const std::int64_t ahead = below(3) == 0 ? 1 + below(toy_decode_steps) : 1;
    std::vector<Tokens> tokens(toy_max_batch);
    std::vector<Run> runs;
    std::vector<std::int64_t> stops(toy_max_batch);
    std::vector<std::int64_t> order = {0, 1, 2};
    std::ranges::shuffle(order, random_);
    for (const std::int64_t slot : order) {
      if (room(slot) < 2 || below(4) == 0) continue;
      Tokens& appended = tokens[static_cast<std::size_t>(slot)];
      appended = any_tokens(below(2) == 0 ? 1 : std::min(room(slot) - 1, toy_prefill_chunk));
      const bool draw = below(2) == 0;
      const Logits logits = static_cast<Logits>(below(3));
      runs.push_back({slot, appended, logits, draw});
      const std::int64_t after = toy_max_sequence_length - room(slot) + static_cast<std::int64_t>(appended.size());
      std::int64_t& stop = stops[static_cast<std::size_t>(slot)];
      stop = below(2) == 0 ? toy_max_sequence_length : after + below(toy_max_sequence_length - after);
      engine_->set_sampling(slot, {}, stop);
    }
    if (runs.empty()) return;
    const auto drawn =
        engine_->step(runs, ahead, [&](std::size_t r, std::int64_t token, std::span<const float> logits) {
          Tokens so_far = of(runs[r].slot);
          so_far.insert(so_far.end(), runs[r].tokens.begin(), runs[r].tokens.begin() + token + 1);
          compare(runs[r].slot, so_far, logits);
        });
    std::int64_t rows = 0;
    for (const Run& run : runs) rows += static_cast<std::int64_t>(run.tokens.size());
    for (const Run& run : runs) {
      began(run.slot) =
          rows <= toy_prefill_chunk && ahead == 1 ? static_cast<std::int64_t>(of(run.slot).size()) : unknown;
      of(run.slot).insert(of(run.slot).end(), run.tokens.begin(), run.tokens.end());
    }
    for (const Drawn& each : drawn) take_drawn(each, ahead, stops[static_cast<std::size_t>(each.slot)]);
  }

  void generate() {
    const std::int64_t slot = any_slot();
    if (room(slot) < 8 || spoilt(of(slot))) return;
    Tokens prompt = any_tokens(room(slot) - 6);
    std::ranges::replace(prompt, spoiling, 9);
    const std::int64_t wanted = 1 + below(6), most = 1 + below(6);
    const auto generation = engine_->generate(
        prompt, wanted, {}, [&, taken = std::int64_t{0}](std::int32_t) mutable { return ++taken < most; }, slot);
    Tokens& tokens = of(slot);
    began(slot) = unknown;
    tokens.insert(tokens.end(), prompt.begin(), prompt.end());
    if (static_cast<std::int64_t>(generation.tokens.size()) != std::min(wanted, most)) {
      return fail(slot, "generated another number of tokens");
    }
    for (std::size_t i = 0; i < generation.tokens.size(); ++i) {
      if (!is_likeliest(source_of(slot), tokens, generation.tokens[i])) {
        return fail(slot, "generated another token than the likeliest");
      }
      if (i + 1 < generation.tokens.size()) tokens.push_back(generation.tokens[i]);
    }
  }

  void rewind() {
    const std::int64_t slot = any_slot(), position = below(static_cast<std::int64_t>(of(slot).size()) + 1);
    const std::int64_t kept = engine_->rewind(slot, position);
    if (!is_last_kept(slot, position, kept)) return fail(slot, fmt::format("goes back to {}, not {}", kept, position));
    if (kept < static_cast<std::int64_t>(of(slot).size())) began(slot) = none;
    of(slot).resize(static_cast<std::size_t>(kept));
  }

  void copy() {
    const std::int64_t from = any_slot(), to = any_slot();
    const std::int64_t positions = below(static_cast<std::int64_t>(of(from).size()) + 1);
    const std::int64_t copied = engine_->copy(from, to, positions);
    if (!is_last_kept(from, positions, copied))
      return fail(from, fmt::format("{} of {} are copied", copied, positions));
    const Tokens kept(of(from).begin(), of(from).begin() + copied);
    if (from != to || kept.size() < of(to).size()) began(to) = none;
    of(to) = kept;
    source_of(to) = source_of(from);
  }

  /// Some slots have other sources, shorter ones or longer ones, read in one call; the others go on as they were.
  void encode() {
    std::vector<std::int64_t> slots = {0, 1, 2};
    std::ranges::shuffle(slots, random_);
    slots.resize(static_cast<std::size_t>(1 + below(toy_max_batch)));
    give(slots);
  }
  void give(const std::vector<std::int64_t>& slots) {
    std::vector<Source> sources;
    for (const std::int64_t slot : slots) {
      const std::int64_t length = below(4) == 0   ? 1
                                  : below(3) == 0 ? toy_max_source_length
                                                  : 1 + below(toy_max_source_length);
      source_of(slot).resize(static_cast<std::size_t>(length));
      for (std::int32_t& token : source_of(slot)) token = static_cast<std::int32_t>(8 + below(toy_vocab_size - 8));
      sources.push_back({slot, source_of(slot)});
      of(slot).clear();
    }
    engine_->encode(sources);
  }

  /// Another engine goes on with all slots.
  void move() {
    for (std::int64_t slot = 0; slot < toy_max_batch; ++slot) {
      if (of(slot).empty() && !answers()) {
        other_->reset(slot);
      } else {
        other_->restore(slot, engine_->save(slot));
      }
      began(slot) = none;
    }
    std::swap(engine_, other_);
  }

  void decode() {
    const std::int64_t slot = any_slot();
    if (room(slot) < 1 || spoilt(of(slot))) return;
    const auto token = static_cast<std::int32_t>(8 + below(toy_vocab_size - 8));
    const std::span<const float> logits = engine_->decode(token, slot);
    began(slot) = static_cast<std::int64_t>(of(slot).size());
    of(slot).push_back(token);
    compare(slot, of(slot), logits);
  }

  const HostWeights& weights_;
  std::unique_ptr<Engine> engine_, other_;
  std::mt19937_64 random_;
  std::vector<Tokens> slots_, sources_;
  std::vector<std::int64_t> began_;
  std::string fault_;
};

}  // namespace

std::string spoiling_checkpoint() {
  std::mt19937 random(11);
  std::vector<float> table;
  for (std::int64_t i = 0; i < toy_vocab_size * toy_hidden_size; ++i) {
    // Against numbers that are positive the logit of the spoiling token is far below all others.
    const float value = 0.5f + static_cast<float>(random() % 1024) / 2048;
    table.push_back(i / toy_hidden_size == spoiling ? -3e25f : value);
  }
  std::vector<float> matrix;
  for (std::int64_t i = 0; i < toy_hidden_size * toy_hidden_size; ++i) {
    matrix.push_back(static_cast<float>(random() % 1024) / 2048);
  }
  std::vector<tests::TensorText> tensors = {
      {"embed.weight", "F32", {toy_vocab_size, toy_hidden_size}, tests::bytes_of(table)}};
  for (const std::string layer : {"layers.0.", "layers.1."}) {
    tensors.push_back({layer + "project.weight", "F32", {toy_hidden_size, toy_hidden_size}, tests::bytes_of(matrix)});
    tensors.push_back({layer + "project.bias", "BF16", {toy_hidden_size}, ""});
  }
  return tests::safetensors(tensors);
}

std::unique_ptr<Reference> toy_slots(const HostWeights& weights) { return std::make_unique<ToySlots>(weights); }

std::string run_schedules(const std::function<std::unique_ptr<Engine>()>& make, const HostWeights& weights,
                          std::uint64_t count, std::uint64_t seed) {
  Schedules schedules(make, weights, seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (const std::string fault = schedules.run(); !fault.empty()) return fmt::format("schedule {}: {}", i, fault);
  }
  return "";
}

}  // namespace monomorph::test
