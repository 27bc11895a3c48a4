#include <doctest/doctest.h>

#include "runtime/load/load.hpp"
#include "runtime/vulkan/backend.hpp"
#include "runtime/vulkan/layout.hpp"
#include "runtime/vulkan/storage.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"

using namespace monomorph;
using namespace monomorph::vulkan;

namespace {

struct Pattern {
  std::int64_t rows, columns;
  Dtype format = Dtype::f32;
};

/// What is stored, over patterns that live as long as it does.
struct Matrices {
  explicit Matrices(const std::vector<Pattern>& wanted) {
    for (const Pattern& p : wanted) patterns.push_back({"weight", p.format, p.rows, p.columns, {}});
    for (const StoredPattern& p : patterns) entries.push_back({"weight", &p, -1});
  }
  std::vector<StoredPattern> patterns;
  std::vector<StoredEntry> entries;
};

/// Slices cover every matrix once, in order, within the limits, without touching each other.
void check_layout(const WeightLayout& layout, const std::vector<StoredEntry>& matrices, const LayoutLimits& limits) {
  for (std::size_t id = 0; id < matrices.size(); ++id) {
    std::int64_t row = 0;
    for (const Slice& slice : layout.of(static_cast<std::int32_t>(id))) {
      CHECK(slice.stored == static_cast<std::int32_t>(id));
      CHECK(slice.first_row == row);
      CHECK(slice.rows > 0);
      CHECK(slice.bytes == slice.rows * matrices[id].row_bytes());
      CHECK(slice.bytes <= limits.max_slice_bytes);
      CHECK(slice.offset % limits.alignment == 0);
      row += slice.rows;
      if (row < matrices[id].pattern->rows) {
        CHECK(slice.bytes % limits.alignment == 0);
      }
    }
    CHECK(row == matrices[id].pattern->rows);
  }
  std::vector<std::int64_t> used(layout.shard_bytes.size());
  for (const Slice& slice : layout.slices) {
    CHECK(slice.offset >= used[slice.shard]);
    used[slice.shard] = slice.offset + slice.bytes;
    CHECK(used[slice.shard] <= layout.shard_bytes[slice.shard]);
  }
  for (const std::int64_t bytes : layout.shard_bytes) CHECK(bytes <= limits.max_shard_bytes);
}

DeviceInfo device_with(std::int64_t heap, std::int64_t available) {
  DeviceInfo device;
  device.backend = "vulkan";
  device.name = "a device";
  device.heaps = {
      {std::int64_t{256} << 20, std::int64_t{256} << 20, true}, {heap, available, true}, {heap * 4, heap * 4, false}};
  device.limits.max_storage_buffer_range = std::int64_t{1} << 32;
  device.limits.max_allocation_size = std::int64_t{4} << 30;
  device.limits.storage_offset_alignment = 64;
  return device;
}

std::string misfit(const Program& program, const DeviceInfo& device) {
  return explain_misfit(program, plan_memory(program, device), device);
}

}  // namespace

TEST_CASE("weights fit one slice each where limits allow") {
  const Matrices matrices({{100, 7}, {1, 5}, {33, 64, Dtype::f16}});
  const LayoutLimits limits = LayoutLimits::guaranteed();
  const WeightLayout layout = lay_out_weights(matrices.entries, limits);
  check_layout(layout, matrices.entries, limits);
  CHECK(layout.slices.size() == 3);
  CHECK(layout.shard_bytes.size() == 1);
  CHECK(layout.row_bytes == std::vector<std::int64_t>{32, 32, 128});
}

TEST_CASE("weights larger than a descriptor or an allocation are cut at aligned rows") {
  const Matrices matrices({{1000, 7}, {5000, 3, Dtype::f16}, {1, 13}, {777, 100, Dtype::bf16}});
  for (const std::int64_t slice : {2048, 4096, 5000, 100000}) {
    for (const std::int64_t shard : {5000, 9999, 1 << 20}) {
      for (const std::int64_t alignment : {256, 1024}) {
        CAPTURE(slice);
        CAPTURE(shard);
        CAPTURE(alignment);
        const LayoutLimits limits{slice, shard, alignment};
        try {
          check_layout(lay_out_weights(matrices.entries, limits), matrices.entries, limits);
        } catch (const Error& error) {
          // 777 rows of 208 bytes can only be cut every 16 rows (64 at the larger alignment).
          CHECK(std::min(slice, shard) < (alignment == 256 ? 16 : 64) * 208);
          CHECK(error.kind() == ErrorKind::device);
        }
      }
    }
  }
}

TEST_CASE("what layers share has one place, that of the first") {
  Matrices matrices({{1000, 7}, {40, 7}, {1000, 7}, {40, 7}});
  matrices.entries[2].same_as = 0;
  const WeightLayout layout = lay_out_weights(matrices.entries, {4096, 1 << 20, 256});
  CHECK(layout.of(2).data() == layout.of(0).data());
  CHECK(layout.of(2).size() == layout.of(0).size());
  CHECK(layout.of(3).size() == 1);
  CHECK(layout.of(3).data() != layout.of(1).data());
  matrices.entries.erase(matrices.entries.begin() + 2);
  CHECK(layout.total_bytes() == lay_out_weights(matrices.entries, {4096, 1 << 20, 256}).total_bytes());
}

TEST_CASE("limits are met exactly: one byte less makes another slice, another allocation, a refusal") {
  const Matrices two({{8, 8}, {8, 8}});  // 256 bytes each
  CHECK(lay_out_weights(two.entries, {512, 512, 256}).shard_bytes == std::vector<std::int64_t>{512});
  CHECK(lay_out_weights(two.entries, {512, 511, 256}).shard_bytes == std::vector<std::int64_t>{256, 256});
  // Where the first ends short of the alignment, the second begins at it.
  const Matrices uneven({{1, 8}, {8, 8}});
  CHECK(lay_out_weights(uneven.entries, {512, 512, 256}).shard_bytes == std::vector<std::int64_t>{512});
  CHECK(lay_out_weights(uneven.entries, {512, 511, 256}).shard_bytes == std::vector<std::int64_t>{32, 256});

  const Matrices one({{64, 8}});  // 2048 bytes, cut every 8 rows
  CHECK(lay_out_weights(one.entries, {2048, 4096, 256}).slices.size() == 1);
  CHECK(lay_out_weights(one.entries, {4096, 2048, 256}).slices.size() == 1);
  CHECK(lay_out_weights(one.entries, {2047, 4096, 256}).slices.size() == 2);
  CHECK(lay_out_weights(one.entries, {1024, 4096, 256}).slices[0].rows == 32);
  CHECK(lay_out_weights(one.entries, {1023, 4096, 256}).slices[0].rows == 24);
  CHECK(lay_out_weights(one.entries, {256, 256, 256}).slices.size() == 8);
  CHECK_THROWS_AS(lay_out_weights(one.entries, {255, 4096, 256}), Error);

  Program program{};
  program.arena_bytes = {2048, 0, 0};
  const std::vector<BufferView> views{{Arena::activations, 0, 1024}, {Arena::activations, 1024, 1024}};
  CHECK(lay_out_arenas(program, views, {1024, 2048, 256}).pieces.size() == 1);
  CHECK(lay_out_arenas(program, views, {1024, 2047, 256}).pieces.size() == 2);
  CHECK(lay_out_arenas(program, views, {1024, 1024, 256}).pieces.size() == 2);
  CHECK_THROWS_AS(lay_out_arenas(program, views, {1023, 2048, 256}), Error);
  CHECK_THROWS_AS(lay_out_arenas(program, views, {1024, 1023, 256}), Error);
}

TEST_CASE("a row that no descriptor covers is refused with the numbers") {
  const Matrices matrices({{4, 100000}});
  CHECK_THROWS_WITH_AS(lay_out_weights(matrices.entries, {65536, 1 << 20, 256}),
                       doctest::Contains("at most 65536 bytes"), Error);
}

TEST_CASE("an arena is one piece where an allocation holds it, and is cut between views where not") {
  Program program{};
  program.arena_bytes = {4096, 0, 0};
  const std::vector<BufferView> views{{Arena::activations, 0, 1000},
                                      {Arena::activations, 512, 1000},
                                      {Arena::activations, 1536, 1024},
                                      {Arena::activations, 2560, 500},
                                      {Arena::activations, 3072, 1024}};
  const ArenaLayout whole = lay_out_arenas(program, views, LayoutLimits::guaranteed());
  REQUIRE(whole.pieces.size() == 1);
  CHECK(whole.pieces[0].bytes == 4096);

  const ArenaLayout cut = lay_out_arenas(program, views, {2048, 2048, 256});
  REQUIRE(cut.pieces.size() == 3);  // the first two views overlap and stay together
  for (const BufferView& view : views) {
    const ArenaPiece& piece = cut.pieces[cut.piece_of(view)];
    CHECK(piece.bytes <= 2048);
    CHECK(piece.offset <= view.offset);
    CHECK(piece.offset + piece.bytes >= view.offset + view.bytes);
  }
  CHECK_THROWS_WITH_AS(lay_out_arenas(program, views, {1000, 4096, 256}), doctest::Contains("prefill_chunk"), Error);
}

TEST_CASE("what a device cannot bind at once is refused with the setting that makes it smaller") {
  Program program{};
  program.arena_bytes = {4096, 4096, 4096};
  const auto refused = [&](Arena arena) -> std::string {
    try {
      const std::vector<BufferView> views{{arena, 0, 4000}};
      lay_out_arenas(program, views, {2048, 4096, 256});
      return "accepted";
    } catch (const Error& error) {
      const std::string said = error.what();
      return said.substr(said.find("smaller "));
    }
  };
  program.max_batch = 1;
  CHECK(refused(Arena::activations) == "smaller engine.prefill_chunk");
  CHECK(refused(Arena::host) == "smaller engine.prefill_chunk");  // logits: at most a chunk's rows
  CHECK(refused(Arena::states) == "smaller engine.max_sequence_length");
  program.max_batch = 2;
  CHECK(refused(Arena::states) == "smaller engine.max_batch or engine.max_sequence_length");
}

TEST_CASE("on request every slice has an allocation of its own, and every run of views") {
  LayoutLimits limits = LayoutLimits::guaranteed();
  limits.separate = true;
  const Matrices matrices({{100, 7}, {1, 5}, {33, 64, Dtype::f16}});
  CHECK(lay_out_weights(matrices.entries, limits).shard_bytes == std::vector<std::int64_t>{3200, 32, 33 * 128});
  Program program{};
  program.arena_bytes = {2048, 0, 0};
  const std::vector<BufferView> views{
      {Arena::activations, 0, 500}, {Arena::activations, 256, 500}, {Arena::activations, 1024, 1000}};
  const ArenaLayout layout = lay_out_arenas(program, views, limits);
  REQUIRE(layout.pieces.size() == 2);
  CHECK(layout.pieces[0].bytes == 756);
  CHECK(layout.pieces[1].offset == 1024);
}

TEST_CASE("a view outside its arena is an internal error") {
  Program program{};
  program.arena_bytes = {0, 1024, 0};
  for (const BufferView& view :
       {BufferView{Arena::states, 512, 513}, BufferView{Arena::states, 100, 10}, BufferView{Arena::states, 0, 0}}) {
    try {
      lay_out_arenas(program, std::span(&view, 1), LayoutLimits::guaranteed());
      FAIL("it was laid out");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::internal);
    }
  }
}

TEST_CASE("the main heap is the largest local one, never the small window to the host") {
  const DeviceInfo device = device_with(std::int64_t{8} << 30, std::int64_t{7} << 30);
  CHECK(main_heap(device)->bytes == std::int64_t{8} << 30);
  DeviceInfo none = device;
  none.heaps = {{1 << 20, 1 << 20, false}};
  CHECK(main_heap(none) == nullptr);
}

TEST_CASE("too little memory is said with what is needed, what there is and what would fit") {
  Program program = test::toy_program();
  const StateTable growing[] = {
      {"keys", StateKind::growing, 1, 1, 1, 1 << 20, 1024, 1 << 30, {Arena::states, 0, 1 << 30}}};
  program.states = growing;
  program.max_batch = 1;
  program.arena_bytes[static_cast<std::size_t>(Arena::states)] = std::int64_t{1} << 30;
  program.max_sequence_length = 1 << 20;
  const std::int64_t need = plan_memory(program, device_with(std::int64_t{8} << 30, 0)).total();

  CHECK(misfit(program, device_with(std::int64_t{8} << 30, need)).empty());
  const std::string text = misfit(program, device_with(std::int64_t{8} << 30, need - 1));
  CHECK(text.find(std::to_string(need) + " bytes) are needed") != std::string::npos);
  CHECK(text.find("(" + std::to_string(need - 1) + " bytes) are available of 8.0 GiB") != std::string::npos);
  CHECK(text.find("--set engine.max_sequence_length=1048575") != std::string::npos);
  // Half of the cache: half of the sequence, less what the rest takes.
  CHECK(misfit(program, device_with(std::int64_t{8} << 30, need - (std::int64_t{512} << 20)))
            .find("engine.max_sequence_length=524288") != std::string::npos);
  CHECK(misfit(program, device_with(std::int64_t{8} << 30, 1000)).find("no max_sequence_length would fit") !=
        std::string::npos);
  // Of two slots one fits, and half of each.
  const StateTable two[] = {{"keys", StateKind::growing, 1, 2, 1, 1 << 19, 1024, 1 << 30, {Arena::states, 0, 1 << 30}}};
  program.states = two;
  program.max_batch = 2;
  program.max_sequence_length = 1 << 19;
  const std::string slots = misfit(program, device_with(std::int64_t{8} << 30, need - (std::int64_t{512} << 20)));
  CHECK(slots.find("1 of 2 slots would fit: build with --set engine.max_batch=1") != std::string::npos);
  CHECK(slots.find("--set engine.max_sequence_length=262144") != std::string::npos);
  // The budget counts, not the heap alone.
  CHECK_THROWS_AS(check_memory(program, plan_memory(program), device_with(std::int64_t{8} << 30, 1000)), Error);
}

TEST_CASE("the plan counts weights with their padding and every arena") {
  const Program& program = test::toy_program();
  const MemoryPlan plan = plan_memory(program);
  CHECK(plan.tensors == 5);
  CHECK(plan.slices == 5);
  CHECK(plan.allocations == 1);
  CHECK(plan.weights ==
        32000 + 256 + 256 + 256 + 32);  // 32,000 and 192 + 32 + 192 + 32, each begun at a multiple of 256
  CHECK(plan.states == test::toy_layers * test::toy_max_batch * test::toy_max_sequence_length * 32);
  CHECK(plan.total() == plan.weights + plan.states + plan.activations + plan.host);
  CHECK(describe_memory(program).find(std::to_string(plan.total())) != std::string::npos);
}
