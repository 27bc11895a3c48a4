// Which bytes are moved when slots are copied, read and written: rows of every state, layer and head, and no others.
#include "runtime/vulkan/slot_states.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "runtime/error.hpp"
#include "runtime/vulkan/schedule.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/vulkan_devices.hpp"

using namespace monomorph;
using namespace monomorph::vulkan;

namespace {

constexpr std::int64_t slots = 3;

/// Layers of each state lie between those of the other, as plans lay them out.
constexpr StateTable states[] = {
    {"keys", StateKind::growing, 2, slots, 2, 11, 48, 8192, {Arena::states, 0, slots * 2 * 11 * 48}},
    {"window", StateKind::ring, 2, slots, 3, 7, 16, 8192, {Arena::states, 4096, slots * 3 * 7 * 16}, 3, 1},
    {"matrices", StateKind::recurrent, 2, slots, 1, 2, 48, 8192, {Arena::states, 6144, slots * 2 * 48}}};

BufferView layer_of(const StateTable& state, std::int64_t layer) {
  return {state.view.arena, state.view.offset + layer * state.stride, state.view.bytes};
}

struct Fixture {
  explicit Fixture(const LimitOverrides& limits) {
    program.states = states;
    program.arena_bytes[static_cast<std::size_t>(Arena::states)] = 2 * 8192;
    program.phases = {{"decode", Stage::layers, Lowering::vector, 1, [](Recorder& record) {
                         for (const StateTable& state : states) {
                           for (std::int64_t layer = 0; layer < state.layers; ++layer) {
                             record.dispatch(0, {Tensor<void, f32>{layer_of(state, layer)}}, 1);
                           }
                         }
                       }}};
    try {
      device = Device::open(tests::best_vulkan_device(), limits);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s: skipped\n", error.what());
      std::exit(77);
    }
    weights.emplace(HostWeights::random(program, 9));
    storage.emplace(*device, program, *weights, nullptr);
  }
  Program program = test::toy_program();
  std::unique_ptr<Device> device;
  std::optional<HostWeights> weights;
  std::optional<Storage> storage;
};

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator());
  return bytes;
}

/// Where a byte of a saved slot lies on the device: its row's place by state_row.
template <class Visit>
void each_row(const Storage& storage, const HeldStates& held, const Visit& visit) {
  std::int64_t at = 0;
  for (const StateTable& state : states) {
    for (std::int64_t layer = 0; layer < state.layers; ++layer) {
      const Place place = place_of(storage.weights(), storage.arenas(), layer_of(state, layer));
      for (std::int64_t head = 0; head < state.heads; ++head) {
        for (std::int64_t entry = 0; entry < held_entries(state, held).count; ++entry, at += state.row_bytes) {
          const std::int64_t row = (held.slot * state.heads + head) * state.entries + held_entries(state, held).first;
          visit(at, place, (row + entry) * state.row_bytes, state.row_bytes);
        }
      }
    }
  }
  CHECK(at == held_bytes(states, held));
}

}  // namespace

TEST_CASE("what is written is read again, a piece at a time, and lies in the rows that kernels read") {
  for (const std::int64_t stage : {std::int64_t{20}, std::int64_t{1000}, SlotStates::usual_stage_bytes}) {
    for (const bool separate : {false, true}) {
      CAPTURE(stage);
      LimitOverrides limits;
      limits.separate_buffers = separate;
      limits.staging = separate;
      const Fixture fixture(limits);
      SlotStates moved(*fixture.device, fixture.program, *fixture.storage, stage);
      std::vector<Bytes> written;
      for (std::int64_t slot = 0; slot < slots; ++slot) {
        const HeldStates all{slot, 11, 11, 0, 1};
        written.push_back(random_bytes(held_bytes(states, all), static_cast<unsigned>(slot)));
        moved.write(all, written.back());
      }
      // Fewer tokens, a ring that is not full, and other slots untouched.
      const HeldStates few{1, 4, 5, 0, 0};
      const Bytes less = random_bytes(held_bytes(states, few), 99);
      moved.write(few, less);
      for (std::int64_t slot = 0; slot < slots; ++slot) {
        const HeldStates held = slot == 1 ? few : HeldStates{slot, 11, 11, 0, 1};
        Bytes read(static_cast<std::size_t>(held_bytes(states, held)));
        moved.read(held, read);
        CHECK(read == (slot == 1 ? less : written[static_cast<std::size_t>(slot)]));
        if (!fixture.storage->types().direct) continue;
        each_row(*fixture.storage, held,
                 [&](std::int64_t at, const Place& place, std::int64_t row, std::int64_t bytes) {
                   const std::byte* found = fixture.storage->buffer(place.buffer).data() + place.offset + row;
                   REQUIRE(std::equal(found, found + bytes, read.begin() + at));
                 });
      }
    }
  }
}

TEST_CASE("a copy has the rows of its source up to where it goes on, and all of a ring's") {
  for (const bool separate : {false, true}) {
    LimitOverrides limits;
    limits.separate_buffers = separate;
    const Fixture fixture(limits);
    SlotStates moved(*fixture.device, fixture.program, *fixture.storage, 500);
    const auto whole = [&](std::int64_t slot) {
      Bytes read(static_cast<std::size_t>(held_bytes(states, {slot, 11, 11, 0, 1})));
      moved.read({slot, 11, 11, 0, 1}, read);
      return read;
    };
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      moved.write({slot, 11, 11, 0, 1},
                  random_bytes(held_bytes(states, {slot, 11, 11, 0, 1}), static_cast<unsigned>(slot)));
    }
    const Bytes source = whole(2), beside = whole(1);
    const HeldStates held{2, 6, 11, 0, 1};
    Bytes expected = whole(0), taken(static_cast<std::size_t>(held_bytes(states, held)));
    moved.read(held, taken);
    moved.copy(held, 0);
    Bytes got(taken.size());
    moved.read({0, 6, 11, 0, 1}, got);
    CHECK(got == taken);
    CHECK(whole(2) == source);
    CHECK(whole(1) == beside);
    // Entries 6 to 10 of the growing state are still slot 0's own.
    const Bytes after = whole(0);
    std::size_t own = 0;
    for (std::size_t head = 0; head < 4; ++head) {
      const auto begin = static_cast<std::ptrdiff_t>(head * 11 * 48 + 6 * 48);
      own += std::equal(after.begin() + begin, after.begin() + begin + 5 * 48, expected.begin() + begin) ? 1 : 0;
    }
    CHECK(own == 4);
  }
}
