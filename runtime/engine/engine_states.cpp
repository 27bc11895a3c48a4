// Copies and saved slots: what is the same for every engine. How states are moved is the engine's own.
#include <algorithm>

#include <fmt/format.h>

#include "runtime/engine/engine.hpp"
#include "runtime/engine/slot_file.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/formats/atomic_file.hpp"
#include "runtime/formats/mapped_file.hpp"

namespace monomorph {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] void reject(const std::string& message) { throw Error(ErrorKind::rejected, message); }

/// The states as tables, those of one slot: engines of one spec may lay them out otherwise.
std::string describe(std::span<const StateTable> states) {
  std::string text;
  for (const StateTable& state : states) {
    text +=
        fmt::format("{}{} {} {} {}x{}x{} rows of {} bytes", text.empty() ? "" : ", ", state.name, name_of(state.dtype),
                    name_of(state.kind), state.layers, state.heads, state.entries, state.row_bytes);
  }
  return text;
}

/// What must be equal where a slot is restored, the most telling first.
Facts facts_of(const Program& program, std::string_view kind, std::uint64_t weights) {
  return {{"kind of engine", std::string(kind)},          {"model", std::string(program.name)},
          {"spec hash", std::string(program.spec_hash)},  {"generator's version", std::string(program.version)},
          {"layout of states", describe(program.states)}, {"weights' fingerprint", fmt::format("{:016x}", weights)}};
}

void compare_facts(const Facts& saved, const Facts& own) {
  std::string differences;
  for (std::size_t i = 0; i < std::max(saved.size(), own.size()); ++i) {
    const auto& [name, value] = i < own.size() ? own[i] : saved[i];
    const std::string found = i < saved.size() && saved[i].first == name ? saved[i].second : "";
    const std::string here = i < own.size() ? value : "";
    if (found == here) continue;
    differences += fmt::format("{}the {} is {}, here it is {}", differences.empty() ? "" : "; ", name,
                               found.empty() ? "not said" : found, here.empty() ? "not said" : here);
  }
  if (differences.empty()) return;
  reject(
      fmt::format("the saved slot is another engine's: {}; restore it there, or append the tokens again", differences));
}

/// Runs `work`, whose errors are about a file.
template <class Work>
void naming(const std::string& path, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    const std::string message = error.what();
    throw Error(error.kind(), message.starts_with(path) ? message : fmt::format("{}: {}", path, message));
  }
}

}  // namespace

HeldStates Engine::held_states(std::int64_t index, std::int64_t position) const {
  const Slot& slot = slots_[static_cast<std::size_t>(index)];
  return {index, position, position == 0 ? 0 : std::max(slot.furthest, slot.underway),
          static_cast<std::int64_t>(slot.source.size()), slot.copy_of(position)};
}

bool Engine::all_held(const HeldStates& held) const {
  return std::all_of(program_.states.begin(), program_.states.end(),
                     [&](const StateTable& state) { return state_holds(state, held); });
}

HeldStates Engine::last_held(std::int64_t index, std::int64_t position) const {
  std::int64_t copied = 0;
  for (const std::int64_t each : slots_[static_cast<std::size_t>(index)].copies) {
    if (each <= position) copied = std::max(copied, each);
  }
  for (const std::int64_t each : {position, copied}) {
    const HeldStates held = held_states(index, each);
    if (all_held(held)) return held;
  }
  return held_states(index, 0);
}

std::int64_t Engine::rewind_to_common(std::int64_t index, std::span<const std::int32_t> tokens) {
  const std::span<const std::int32_t> sequence = this->sequence(index);
  // Where tokens see those after them nothing that was computed serves another text.
  if (tokens.empty() || program_.one_pass) return rewind(index, 0);
  const auto common = std::mismatch(sequence.begin(), sequence.end(), tokens.begin(), tokens.end()).first;
  const std::int64_t kept = std::min<std::int64_t>(common - sequence.begin(), std::ssize(tokens) - 1);
  return rewind(index, kept);
}

std::int64_t Engine::copy(std::int64_t from, std::int64_t to, std::int64_t positions) {
  validate_slot(program_, from);
  if (from == to) return rewind(from, positions);
  validate_slot(program_, to);
  const Slot& source = slot_at(from);
  HeldStates held = last_held(from, std::clamp<std::int64_t>(positions, 0, source.position()));
  Slot& target = slot_at(to);
  target.tokens.clear();
  target.drawn.clear();
  target.furthest = target.underway = 0;
  target.copies = Slot::no_copies();
  const bool same_source = source.encoding == target.encoding;
  target.source = source.source;
  target.encoding = source.encoding;
  if (same_source) held.source = 0;  // it is there already
  if (held.position > 0 || held.source > 0) copy_states(held, to);
  if (held.position == 0) return 0;
  target.tokens.assign(source.tokens.begin(), source.tokens.begin() + held.position);
  target.furthest = held.furthest;
  if (held.copy >= 0) target.copies[static_cast<std::size_t>(held.copy)] = held.position;
  target.length = source.length;
  return held.position;
}

std::vector<std::byte> Engine::save(std::int64_t index) {
  validate_slot(program_, index);
  const Slot& slot = slot_at(index);
  const HeldStates held = held_states(index, slot.position());
  if (!all_held(held)) {
    reject(
        fmt::format("slot {}: a pass that was broken off has taken what its next token would see; reset it, and "
                    "append its {} tokens again",
                    index, slot.position()));
  }
  const StatesOwner owner = states_owner();
  return write_slot({facts_of(program_, owner.kind, owner.weights), held.furthest, slot.length, slot.source,
                     slot.tokens, save_states(held)});
}

void Engine::restore(std::int64_t index, std::span<const std::byte> bytes) {
  validate_slot(program_, index);
  const SlotFile saved = read_slot(bytes);
  const StatesOwner owner = states_owner();
  compare_facts(saved.facts, facts_of(program_, owner.kind, owner.weights));
  const auto position = static_cast<std::int64_t>(saved.tokens.size());
  const std::int64_t most = program_.max_sequence_length;
  if (position > most) {
    reject(
        fmt::format("the saved slot has {} tokens, and max_sequence_length of {} is {}; build with a longer "
                    "engine.max_sequence_length",
                    position, program_.name, most));
  }
  if (!saved.source.empty()) validate_source(program_, {index, saved.source});
  if (position > 0) validate_tokens(program_, index, 0, saved.tokens);
  const HeldStates held{index, position, saved.furthest, static_cast<std::int64_t>(saved.source.size()), 0};
  if (saved.furthest < position || saved.furthest > most || saved.length < 0 || saved.length > most ||
      !all_held(held)) {
    reject(
        fmt::format("the saved slot contradicts itself: {} tokens, {} positions written, a length of {}; append the "
                    "tokens again",
                    position, saved.furthest, saved.length));
  }
  restore_states(held, saved.source, saved.tokens, saved.states);
  Slot& slot = slot_at(index);
  slot.source.assign(saved.source.begin(), saved.source.end());
  slot.encoding = ++encodings_;
  slot.tokens.assign(saved.tokens.begin(), saved.tokens.end());
  slot.drawn.clear();
  slot.furthest = saved.furthest;
  slot.underway = 0;
  slot.copies = Slot::no_copies();
  slot.copies[static_cast<std::size_t>(held.copy)] = position;
  slot.length = saved.length;
}

void Engine::save_file(std::int64_t index, const std::string& path) {
  naming(path, [&] {
    AtomicFile file(path);
    file.write(save(index));
    file.commit();
  });
}

void Engine::restore_file(std::int64_t index, const std::string& path) {
  naming(path, [&] {
    const MappedFile file(path);
    restore(index, file.bytes());
  });
}

}  // namespace monomorph
