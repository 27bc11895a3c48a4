#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "runtime/error.hpp"
#include "runtime/program/hazards.hpp"
#include "runtime/vulkan/pipelines.hpp"
#include "runtime/vulkan/schedule.hpp"
#include "runtime/vulkan/tuning.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"

using namespace monomorph;
using namespace monomorph::vulkan;
using test::ToyKernel;

namespace {

ByteAccess reads(std::size_t resource, std::int64_t offset, std::int64_t bytes) {
  return {resource, offset, bytes, true, false};
}
ByteAccess writes(std::size_t resource, std::int64_t offset, std::int64_t bytes) {
  return {resource, offset, bytes, false, true};
}

/// Whether a barrier stands before each.
std::vector<bool> barriers(const std::vector<std::vector<ByteAccess>>& dispatches) {
  HazardTracker tracker;
  std::vector<bool> result;
  for (const auto& accesses : dispatches) result.push_back(tracker.add(accesses));
  return result;
}

using Expected = std::vector<bool>;

/// A phase of the toy on a device with these limits.
struct Planned {
  Planned(const Phase& phase, std::int64_t slice_bytes, std::int64_t max_groups, std::int64_t shard_bytes = 1 << 20,
          std::int64_t invocations = 128, std::int64_t rows = 0) {
    limits.max_storage_buffer_range = slice_bytes;
    limits.max_allocation_size = shard_bytes;
    limits.storage_offset_alignment = 16;
    limits.max_workgroup_count_x = max_groups;
    limits.max_workgroup_count_y = 65535;
    facts.subgroup_size = 8;
    facts.max_workgroup_invocations = invocations;
    facts.type = DeviceType::discrete;
    tiles = choose_tiles(program, facts);
    weights = lay_out_weights(stored, LayoutLimits::of(limits));
    arenas = lay_out_arenas(program, views_of(program), LayoutLimits::of(limits));
    schedule = make_schedule(input(), phase, rows == 0 ? phase.max_rows : rows);
  }
  Planned(const char* phase, std::int64_t slice_bytes, std::int64_t max_groups, std::int64_t shard_bytes = 1 << 20,
          std::int64_t invocations = 128, std::int64_t rows = 0)
      : Planned(phase_of_toy(phase), slice_bytes, max_groups, shard_bytes, invocations, rows) {}

  static const Phase& phase_of_toy(const std::string& name) {
    const std::vector<Phase>& phases = test::toy_program().phases;
    return *std::find_if(phases.begin(), phases.end(), [&](const Phase& phase) { return phase.name == name; });
  }
  ScheduleInput input() const { return {program, weights, arenas, facts, tiles, limits}; }
  std::vector<const Command*> commands(ToyKernel kernel) const {
    std::vector<const Command*> found;
    for (const Command& command : schedule.commands) {
      if (command.kernel == static_cast<std::int32_t>(kernel)) found.push_back(&command);
    }
    return found;
  }
  const Program& program = test::toy_program();
  std::vector<StoredEntry> stored = list_stored(program);
  Limits limits;
  DeviceFacts facts;
  std::vector<Tile> tiles;
  WeightLayout weights;
  ArenaLayout arenas;
  Schedule schedule;
};

}  // namespace

TEST_CASE("a read after a write of the same bytes needs a barrier") {
  CHECK(barriers({{writes(0, 0, 64)}, {reads(0, 32, 64)}}) == Expected{false, true});
}

TEST_CASE("a write after a read of the same bytes needs a barrier") {
  CHECK(barriers({{reads(0, 0, 64)}, {writes(0, 63, 1)}}) == Expected{false, true});
}

TEST_CASE("a write after a write of the same bytes needs a barrier") {
  CHECK(barriers({{writes(0, 0, 64)}, {writes(0, 0, 64)}}) == Expected{false, true});
}

TEST_CASE("reads, neighbouring bytes and other resources need none") {
  CHECK(barriers({{reads(0, 0, 64)}, {reads(0, 0, 64)}}) == Expected{false, false});
  CHECK(barriers({{writes(0, 0, 64)}, {writes(0, 64, 64)}, {reads(0, 128, 8)}}) == Expected{false, false, false});
  CHECK(barriers({{writes(0, 0, 64)}, {reads(1, 0, 64)}, {writes(2, 0, 64)}}) == Expected{false, false, false});
}

TEST_CASE("a barrier orders everything before it, and only what follows it counts afterwards") {
  // The second conflicts with the first; the third, with the first alone, which is ordered already.
  CHECK(barriers({{writes(0, 0, 64)}, {reads(0, 0, 64)}, {reads(0, 32, 4)}}) == Expected{false, true, false});
  // The third conflicts with the second although the barrier stands before that.
  CHECK(barriers({{writes(0, 0, 64)}, {reads(0, 0, 64), writes(1, 0, 8)}, {reads(1, 0, 8)}}) ==
        Expected{false, true, true});
  // A hazard is remembered over dispatches that have none.
  CHECK(barriers({{writes(0, 0, 64)}, {writes(1, 0, 8)}, {writes(2, 0, 8)}, {reads(0, 0, 4)}}) ==
        Expected{false, false, false, true});
}

TEST_CASE("a barrier placed by someone else counts") {
  HazardTracker tracker;
  const ByteAccess write = writes(0, 0, 64);
  CHECK_FALSE(tracker.add({&write, 1}));
  tracker.barrier();
  CHECK_FALSE(tracker.add({&write, 1}));
  CHECK(tracker.add({&write, 1}));
}

TEST_CASE("a dispatch whose weight lies in one slice is one command") {
  const Planned planned("head", 1 << 20, 65535);
  REQUIRE(planned.schedule.commands.size() == 1);
  const Command& command = planned.schedule.commands[0];
  CHECK(command.first_row == 0);
  CHECK(command.row_count == test::toy_vocab_size);
  CHECK(command.groups_x == (test::toy_vocab_size + 63) / 64);  // 128 / 8 subgroups of 4 rows
  CHECK(command.arguments[1].bytes == test::toy_vocab_size * 32);
  CHECK(command.accesses.size() == 3);  // the step, hidden states, logits: not the weight
}

TEST_CASE("a weight in several slices is dispatched slice by slice, each bound alone") {
  const Planned planned("head", 16384, 65535);
  const auto slices = planned.weights.of(0);
  REQUIRE(slices.size() == 2);
  REQUIRE(planned.schedule.commands.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const Command& command = planned.schedule.commands[i];
    CHECK(command.first_row == slices[i].first_row);
    CHECK(command.row_count == slices[i].rows);
    CHECK(command.arguments[1] == Place{slices[i].shard, slices[i].offset, slices[i].bytes});
    CHECK(command.arguments[3].bytes == test::toy_head_rows * test::toy_vocab_size * 4);  // the outputs stay whole
  }
}

TEST_CASE("a grid too large is cut into ranges of rows whose weights begin where the range does") {
  const Planned planned("head", 1 << 20, 3);
  std::int64_t row = 0;
  for (const Command& command : planned.schedule.commands) {
    CHECK(command.groups_x <= 3);
    CHECK(command.first_row == row);
    CHECK(command.arguments[1].offset == planned.weights.of(0)[0].offset + row * 32);
    CHECK(command.arguments[1].offset % 256 == 0);
    CHECK(command.arguments[1].bytes == command.row_count * 32);
    row += command.row_count;
  }
  CHECK(row == test::toy_vocab_size);
  CHECK(planned.schedule.commands.size() == 6);  // 3 x 64 rows at a time
}

TEST_CASE("where fewer rows than a descriptor's alignment make a workgroup, a grid is cut at the alignment") {
  // Four rows of 32 bytes a workgroup: every second one begins where a descriptor can.
  const Planned planned("head", 1 << 20, 3, 1 << 20, 8);
  std::int64_t row = 0;
  for (const Command& command : planned.schedule.commands) {
    CHECK(command.groups_x <= 3);
    CHECK(command.first_row == row);
    CHECK(command.arguments[1].offset % 256 == 0);
    row += command.row_count;
  }
  CHECK(row == test::toy_vocab_size);
  CHECK(planned.schedule.commands[0].row_count == 8);
  // A grid of one cannot be cut there.
  CHECK_THROWS_WITH_AS(Planned("head", 1 << 20, 1, 1 << 20, 8), doctest::Contains("cannot be cut finer"), Error);
}

TEST_CASE("an embedding is cut at slices alone: its grid is tokens") {
  const Planned planned("prefill", 16384, 2);
  const auto commands = planned.commands(ToyKernel::embed);
  REQUIRE(commands.size() == 2);
  for (const Command* command : commands) CHECK(command->groups_x == 1);
}

TEST_CASE("layers are marked after the commands that make them") {
  const Planned planned("decode", 16384, 65535);
  REQUIRE(planned.schedule.layer_ends.size() == 2);
  CHECK(planned.schedule.layer_ends[0].command_count == 4);  // two slices of the embedding, then two
  CHECK(planned.schedule.layer_ends[1].command_count == 6);
}

TEST_CASE("a program that contradicts itself is an internal error") {
  static Recorder wrong;
  const auto view = test::toy_program().output;
  const Argument buffer = Tensor<void, f32>{view};
  const Argument weight = Weight<void, f32>{0};
  SUBCASE("too few arguments") { wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::head), {buffer}, 1}}; }
  SUBCASE("rows that are not the weight's") {
    wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::head), {buffer, weight, buffer, buffer}, 7}};
  }
  SUBCASE("a buffer where a weight splits") {
    wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::head), {buffer, buffer, buffer, buffer}, 1000}};
  }
  SUBCASE("a weight that is written") {
    wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::head), {buffer, weight, buffer, weight}, 1000}};
  }
  SUBCASE("a weight that does not exist") {
    wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::sample), {buffer, Weight<void, f32>{99}}, 1}};
  }
  SUBCASE("no rows") { wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::sample), {buffer, buffer}, 0}}; }
  try {
    const Planned planned(Phase{"wrong", Stage::layers, Lowering::vector, 1, [](Recorder& record) { record = wrong; }},
                          1 << 20, 65535);
    FAIL("it was planned");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::internal);
  }
}

TEST_CASE("a weight bound whole that lies in several slices is an error of the device") {
  static Recorder whole;
  const Argument buffer = Tensor<void, f32>{test::toy_program().output};
  whole.dispatches = {{static_cast<std::int32_t>(ToyKernel::sample), {buffer, Weight<void, f32>{0}}, 1}};
  try {
    const Planned planned(Phase{"whole", Stage::layers, Lowering::vector, 1, [](Recorder& record) { record = whole; }},
                          16384, 65535);
    FAIL("it was planned");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::device);
    CHECK(std::string(error.what()).find("must be bound whole") != std::string::npos);
  }
}

TEST_CASE("a grid is exact for the rows of its schedule, of tokens and of what a token has several of") {
  static Recorder recorded;
  const Argument buffer = Tensor<void, f32>{test::toy_program().output};
  const auto project = static_cast<std::int32_t>(ToyKernel::project_prefill);
  recorded.dispatches = {{project, {buffer, Weight<void, f32>{1}, buffer, buffer, buffer}, 6},
                         {project, {buffer, Weight<void, f32>{1}, buffer, buffer, buffer}, 6, Count::queries, 5}};
  const Phase phase{"both", Stage::layers, Lowering::tiles, 12, [](Recorder& record) { record = recorded; }};
  for (const std::int64_t rows : {1, 2, 7, 12}) {
    CAPTURE(rows);
    const Planned planned(phase, 1 << 20, 65535, 1 << 20, 128, rows);
    const std::int64_t tile = planned.tiles[static_cast<std::size_t>(project)].tokens;
    CHECK(planned.schedule.rows == rows);
    CHECK(planned.schedule.commands[0].groups_y == (rows + tile - 1) / tile);
    CHECK(planned.schedule.commands[1].groups_y == (5 * rows + tile - 1) / tile);
    CHECK(planned.schedule.commands[0].counted(rows) == rows);
    CHECK(planned.schedule.commands[1].counted(rows) == 5 * rows);
  }
}

TEST_CASE("more rows than a grid has are an error of the device that names what makes them fewer") {
  Planned planned("prefill", 1 << 20, 65535);
  planned.limits.max_workgroup_count_y = 11;  // an embedding has a workgroup for each of twelve
  CHECK_THROWS_WITH_AS(make_schedule(planned.input(), Planned::phase_of_toy("prefill"), 12),
                       doctest::Contains("engine.prefill_chunk"), Error);
}

TEST_CASE("tiles keep what kernels assume on every subgroup size") {
  for (const std::int64_t subgroup : {4, 8, 16, 32, 64}) {
    for (const DeviceType type : {DeviceType::discrete, DeviceType::cpu}) {
      for (const std::int64_t invocations : {128, 256, 1024}) {
        DeviceFacts facts;
        facts.subgroup_size = subgroup;
        facts.type = type;
        facts.max_workgroup_invocations = invocations;
        if (type == DeviceType::cpu) facts.max_shared_memory = 32768;  // as lavapipe and SwiftShader have
        for (int k = 0; k <= static_cast<int>(KernelKind::sample); ++k) {
          const auto kind = static_cast<KernelKind>(k);
          const Tile chosen = tile(kind, 64, facts);
          CHECK(chosen.workgroup_size <= invocations);
          CHECK(chosen.workgroup_size % subgroup == 0);
          CHECK(chosen.rows >= 1);
          CHECK(chosen.tokens >= 1);
          if (kind == KernelKind::matmul) {
            CHECK(chosen.tokens % subgroup == 0);
            CHECK(chosen.rows % (chosen.workgroup_size / subgroup) == 0);
            if (type == DeviceType::cpu) CHECK(chosen.rows % chosen.workgroup_size == 0);  // a row for each lane
            CHECK(shared_memory_bytes(kind, chosen) <= facts.max_shared_memory);
          }
        }
        CHECK(tile(KernelKind::attention, 3, facts).tokens <= 3);
        const Tile rows = tile(KernelKind::matvec, 1, facts);
        CHECK(rows_per_workgroup(KernelKind::matvec, rows, facts) == rows.workgroup_size / subgroup * rows.rows);
      }
    }
  }
}

TEST_CASE("a workgroup has as many subgroups as the device takes of the size that is asked for") {
  PhysicalDevice device;
  device.info.type = DeviceType::integrated;
  device.info.limits.max_workgroup_invocations = 1024;
  device.info.limits.max_workgroup_size_x = 512;
  device.info.limits.max_shared_memory = 65536;
  device.info.subgroup_size = 32;
  device.min_subgroup_size = 8;
  device.max_subgroup_size = 32;
  device.vendor = 0x8086;
  CHECK(facts_of(device).subgroup_size == 16);
  CHECK(facts_of(device).max_workgroup_invocations == 512);  // as wide as it is long
  device.max_workgroup_subgroups = 6;
  CHECK(facts_of(device).max_workgroup_invocations == 6 * 16);
  CHECK(facts_of(device).max_shared_memory == 65536);
  CHECK(facts_of(device).type == DeviceType::integrated);
  CHECK(tile(KernelKind::matmul, 64, facts_of(device)).workgroup_size <= 6 * 16);
}

TEST_CASE("the subgroup size asked for is one the device has") {
  CHECK(preferred_subgroup_size(0x1002, 64, 32, 64) == 32);
  CHECK(preferred_subgroup_size(0x1002, 64, 64, 64) == 64);
  CHECK(preferred_subgroup_size(0x8086, 32, 8, 32) == 16);
  CHECK(preferred_subgroup_size(0x10de, 32, 32, 32) == 32);
  CHECK(preferred_subgroup_size(0x10005, 8, 8, 8) == 8);
  CHECK(preferred_subgroup_size(0x13b5, 16, 16, 16) == 16);
}
