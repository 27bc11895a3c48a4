#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "runtime/memory_plan.hpp"
#include "runtime/vulkan/layout.hpp"
#include "runtime/vulkan/storage.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"

using namespace monomorph;
using namespace monomorph::vulkan;

namespace {

struct Pattern {
  std::int64_t rows, columns;
  Dtype stored = Dtype::f32;
  std::int64_t granularity = 1;
};

/// Tensors over patterns that live as long as they do.
struct Tensors {
  explicit Tensors(const std::vector<Pattern>& wanted) {
    for (const Pattern& p : wanted) {
      patterns.push_back({"weight", p.stored, p.stored, p.rows, p.columns, p.granularity, {}});
    }
    for (const TensorPattern& p : patterns) entries.push_back({"weight", &p, -1});
  }
  std::vector<TensorPattern> patterns;
  std::vector<TensorEntry> entries;
};

/// Slices cover every tensor once, in order, within the limits, without touching each other.
void check_layout(const WeightLayout& layout, const std::vector<TensorEntry>& tensors, const LayoutLimits& limits) {
  for (std::size_t id = 0; id < tensors.size(); ++id) {
    std::int64_t row = 0;
    for (const Slice& slice : layout.of(static_cast<std::int32_t>(id))) {
      CHECK(slice.tensor == static_cast<std::int32_t>(id));
      CHECK(slice.first_row == row);
      CHECK(slice.rows > 0);
      CHECK(slice.bytes == slice.rows * tensors[id].row_bytes());
      CHECK(slice.bytes <= limits.max_slice_bytes);
      CHECK(slice.offset % limits.alignment == 0);
      row += slice.rows;
      if (row < tensors[id].pattern->rows) {
        CHECK(row % tensors[id].pattern->row_granularity == 0);
        CHECK(slice.bytes % limits.alignment == 0);
      }
    }
    CHECK(row == tensors[id].pattern->rows);
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
  const Tensors tensors({{100, 7}, {1, 5}, {33, 64, Dtype::f16}});
  const LayoutLimits limits = LayoutLimits::guaranteed();
  const WeightLayout layout = lay_out_weights(tensors.entries, limits);
  check_layout(layout, tensors.entries, limits);
  CHECK(layout.slices.size() == 3);
  CHECK(layout.shard_bytes.size() == 1);
  CHECK(layout.row_bytes == std::vector<std::int64_t>{32, 32, 128});
}

TEST_CASE("weights larger than a descriptor or an allocation are cut at aligned rows") {
  const Tensors tensors({{1000, 7}, {5000, 3, Dtype::f16, 8}, {1, 13}, {777, 100, Dtype::bf16, 3}});
  for (const std::int64_t slice : {2048, 4096, 5000, 100000}) {
    for (const std::int64_t shard : {5000, 9999, 1 << 20}) {
      for (const std::int64_t alignment : {256, 1024}) {
        CAPTURE(slice);
        CAPTURE(shard);
        CAPTURE(alignment);
        const LayoutLimits limits{slice, shard, alignment};
        try {
          check_layout(lay_out_weights(tensors.entries, limits), tensors.entries, limits);
        } catch (const Error& error) {
          // 777 rows of 208 bytes can only be cut every 16 rows (64 at the larger alignment) and every 3.
          CHECK(std::min(slice, shard) < (alignment == 256 ? 48 : 192) * 208);
          CHECK(error.kind() == ErrorKind::device);
        }
      }
    }
  }
}

TEST_CASE("a row that no descriptor covers is refused with the numbers") {
  const Tensors tensors({{4, 100000}});
  CHECK_THROWS_WITH_AS(lay_out_weights(tensors.entries, {65536, 1 << 20, 256}),
                       doctest::Contains("at most 65536 bytes"), Error);
}

TEST_CASE("an arena is one piece where an allocation holds it, and is cut between views where not") {
  Program program{};
  program.arena_bytes = {4096, 0, 0, 0};
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

TEST_CASE("a view outside its arena is an internal error") {
  Program program{};
  program.arena_bytes = {0, 1024, 0, 0};
  for (const BufferView& view :
       {BufferView{Arena::cache, 512, 513}, BufferView{Arena::cache, 100, 10}, BufferView{Arena::cache, 0, 0}}) {
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
  program.arena_bytes[static_cast<std::size_t>(Arena::cache)] = std::int64_t{1} << 30;
  program.max_sequence_length = 1 << 20;
  program.cache_bytes_per_token = 1024;
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
  CHECK(plan.cache == test::toy_layers * test::toy_max_sequence_length * 32);
  CHECK(plan.total() == plan.weights + plan.cache + plan.activations + plan.state + plan.tables);
  CHECK(describe_memory(program).find(std::to_string(plan.total())) != std::string::npos);
}

TEST_CASE("rotary tables hold cosine and sine of the f32 angle, rows as far apart as the view says") {
  const float frequencies[] = {1.0f, 0.31622776f, 0.01f};
  for (const std::int64_t stride : {24, 32}) {
    const RotaryTable table{{Arena::tables, 0, 500 * stride}, 500, frequencies};
    const auto bytes = rotary_table_bytes(table);
    for (const std::int64_t position : {0, 1, 77, 499}) {
      for (std::size_t i = 0; i < 3; ++i) {
        float pair[2];
        std::memcpy(pair, bytes.data() + position * stride + static_cast<std::int64_t>(i) * 8, 8);
        const float angle = static_cast<float>(position) * frequencies[i];
        CHECK(pair[0] == static_cast<float>(std::cos(static_cast<double>(angle))));
        CHECK(pair[1] == static_cast<float>(std::sin(static_cast<double>(angle))));
      }
    }
  }
  CHECK_THROWS_AS(rotary_table_bytes({{Arena::tables, 0, 500 * 16}, 500, frequencies}), Error);
}
