#include <doctest/doctest.h>

#include <set>

#include "runtime/vulkan/hazards.hpp"
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
  Planned(void (*forward)(Recorder&), std::int64_t slice_bytes, std::int64_t max_groups,
          std::int64_t shard_bytes = 1 << 20) {
    limits.max_storage_buffer_range = slice_bytes;
    limits.max_allocation_size = shard_bytes;
    limits.storage_offset_alignment = 16;
    limits.max_workgroup_count_x = max_groups;
    facts.subgroup_size = 8;
    facts.type = DeviceType::discrete;
    tiles = choose_tiles(program, facts);
    weights = lay_out_weights(tensors, LayoutLimits::of(limits));
    arenas = lay_out_arenas(program, views_of(program), LayoutLimits::of(limits));
    phase = make_phase({program, weights, arenas, facts, tiles, limits}, forward);
  }
  std::vector<const Step*> steps(ToyKernel kernel) const {
    std::vector<const Step*> found;
    for (const Step& step : phase.steps) {
      if (step.kernel == static_cast<std::int32_t>(kernel)) found.push_back(&step);
    }
    return found;
  }
  const Program& program = test::toy_program();
  std::vector<TensorEntry> tensors = list_tensors(program);
  Limits limits;
  DeviceFacts facts;
  std::vector<Tile> tiles;
  WeightLayout weights;
  ArenaLayout arenas;
  Phase phase;
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

TEST_CASE("a dispatch whose weight lies in one slice is one step") {
  const Planned planned(test::toy_program().head, 1 << 20, 65535);
  REQUIRE(planned.phase.steps.size() == 1);
  const Step& step = planned.phase.steps[0];
  CHECK(step.first_row == 0);
  CHECK(step.row_count == test::toy_vocab_size);
  CHECK(step.groups_x == (test::toy_vocab_size + 63) / 64);  // 128 / 8 subgroups of 4 rows
  CHECK(step.arguments[1].bytes == test::toy_vocab_size * 32);
  CHECK(step.accesses.size() == 3);  // the state, hidden states, logits: not the weight
}

TEST_CASE("a weight in several slices is dispatched slice by slice, each bound alone") {
  const Planned planned(test::toy_program().head, 8192, 65535);
  const auto slices = planned.weights.of(0);
  REQUIRE(slices.size() == 4);
  REQUIRE(planned.phase.steps.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const Step& step = planned.phase.steps[i];
    CHECK(step.first_row == slices[i].first_row);
    CHECK(step.row_count == slices[i].rows);
    CHECK(step.arguments[1] == Place{slices[i].shard, slices[i].offset, slices[i].bytes});
    CHECK(step.arguments[3].bytes == test::toy_vocab_size * 4);  // the outputs stay whole
  }
}

TEST_CASE("a grid too large is cut into ranges of rows whose weights begin where the range does") {
  const Planned planned(test::toy_program().head, 1 << 20, 3);
  std::int64_t row = 0;
  for (const Step& step : planned.phase.steps) {
    CHECK(step.groups_x <= 3);
    CHECK(step.first_row == row);
    CHECK(step.arguments[1].offset == planned.weights.of(0)[0].offset + row * 32);
    CHECK(step.arguments[1].offset % 256 == 0);
    CHECK(step.arguments[1].bytes == step.row_count * 32);
    row += step.row_count;
  }
  CHECK(row == test::toy_vocab_size);
  CHECK(planned.phase.steps.size() == 6);  // 3 x 64 rows at a time
}

TEST_CASE("an embedding is cut at slices alone: its grid is tokens") {
  const Planned planned(test::toy_program().prefill, 8192, 2);
  const auto steps = planned.steps(ToyKernel::embed);
  REQUIRE(steps.size() == 4);
  for (const Step* step : steps) CHECK(step->groups_x == 1);
}

TEST_CASE("layers are marked after the steps that make them") {
  const Planned planned(test::toy_program().decode, 8192, 65535);
  REQUIRE(planned.phase.layer_ends.size() == 2);
  CHECK(planned.phase.layer_ends[0].step_count == 6);  // four slices of the embedding, then two
  CHECK(planned.phase.layer_ends[1].step_count == 8);
}

TEST_CASE("a program that contradicts itself is an internal error") {
  static Recorder wrong;
  const auto view = test::toy_program().logits;
  const Argument buffer = Tensor<f32>{view};
  const Argument weight = Weight<void, f32>{0};
  SUBCASE("too few arguments") { wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::head), {buffer}, 1, 1}}; }
  SUBCASE("rows that are not the weight's") {
    wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::head), {buffer, weight, buffer, buffer}, 7, 1}};
  }
  SUBCASE("a buffer where a weight splits") {
    wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::head), {buffer, buffer, buffer, buffer}, 1000, 1}};
  }
  SUBCASE("a weight that is written") {
    wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::head), {buffer, weight, buffer, weight}, 1000, 1}};
  }
  SUBCASE("a weight that does not exist") {
    wrong.dispatches = {
        {static_cast<std::int32_t>(ToyKernel::sample), {buffer, Weight<void, f32>{99}, buffer, buffer}, 1, 1}};
  }
  SUBCASE("no rows") {
    wrong.dispatches = {{static_cast<std::int32_t>(ToyKernel::sample), {buffer, buffer, buffer, buffer}, 0, 1}};
  }
  try {
    const Planned planned([](Recorder& record) { record = wrong; }, 1 << 20, 65535);
    FAIL("it was planned");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::internal);
  }
}

TEST_CASE("a weight bound whole that lies in several slices is an error of the device") {
  static Recorder whole;
  const Argument buffer = Tensor<f32>{test::toy_program().logits};
  whole.dispatches = {
      {static_cast<std::int32_t>(ToyKernel::sample), {buffer, Weight<void, f32>{0}, buffer, buffer}, 1, 1}};
  try {
    const Planned planned([](Recorder& record) { record = whole; }, 8192, 65535);
    FAIL("it was planned");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::device);
    CHECK(std::string(error.what()).find("must be bound whole") != std::string::npos);
  }
}

TEST_CASE("steps that count more than tokens shrink with the prompt") {
  CHECK(scaled_tokens(64, 16, 64) == 16);
  CHECK(scaled_tokens(64 * 3, 16, 64) == 48);  // query rows of a group of three
  CHECK(scaled_tokens(1, 16, 64) == 1);
  CHECK(scaled_tokens(64, 64, 64) == 64);
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

TEST_CASE("the subgroup size asked for is one the device has") {
  CHECK(preferred_subgroup_size(0x1002, 64, 32, 64) == 32);
  CHECK(preferred_subgroup_size(0x1002, 64, 64, 64) == 64);
  CHECK(preferred_subgroup_size(0x8086, 32, 8, 32) == 16);
  CHECK(preferred_subgroup_size(0x10de, 32, 32, 32) == 32);
  CHECK(preferred_subgroup_size(0x10005, 8, 8, 8) == 8);
  CHECK(preferred_subgroup_size(0x13b5, 16, 16, 16) == 16);
}
