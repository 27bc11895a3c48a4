#include "runtime/formats/quantized.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <fstream>
#include <string>

#include "tests/support/quantized_blocks.hpp"

using namespace monomorph;
using namespace monomorph::tests;

TEST_CASE("every quantized type is decoded as ggml's Python library decodes it, bit for bit") {
  std::ifstream expected(MONOMORPH_QUANTIZED_HASHES);
  std::size_t lines = 0;
  std::string type, scales;
  std::uint64_t hash = 0;
  for (; expected >> type >> scales >> std::hex >> hash; ++lines) {
    CAPTURE(type);
    CAPTURE(scales);
    const auto dtype = std::ranges::find(quantized_types, type, [](Dtype each) { return row_of(each).header; });
    const auto of_blocks = std::ranges::find(block_scales, scales, &BlockScales::name);
    REQUIRE(dtype != std::end(quantized_types));
    REQUIRE(of_blocks != std::end(block_scales));
    const std::vector<std::byte> blocks = random_blocks(*dtype, *of_blocks, 512);
    std::vector<float> elements(512 * static_cast<std::size_t>(row_of(*dtype).block_elements));
    decode_blocks(*dtype, blocks.data(), elements);
    CHECK(hash_of(std::as_bytes(std::span(elements))) == hash);
    CHECK(find_bad_scale(*dtype, blocks.data(), 512) == -1);
  }
  CHECK(lines == std::size(quantized_types) * std::size(block_scales));
}

TEST_CASE("a scale that is no number or infinite is found, wherever the block has it") {
  for (const Dtype dtype : quantized_types) {
    CAPTURE(name_of(dtype));
    std::vector<std::byte> blocks = random_blocks(dtype, block_scales[0], 3);
    std::byte* const second = blocks.data() + row_of(dtype).block_bytes;
    std::vector<std::size_t> places = halves_of(dtype);
    if (dtype == Dtype::mxfp4) places = {0};
    for (const std::size_t at : places) {
      for (const std::uint16_t bad : {0x7c00, 0xfc00, 0x7e01}) {
        const std::byte before[] = {second[at], second[at + 1]};
        second[at] = static_cast<std::byte>(bad & 255);
        second[at + 1] = static_cast<std::byte>(bad >> 8);
        if (dtype == Dtype::mxfp4) second[at] = std::byte{255};
        CHECK(find_bad_scale(dtype, blocks.data(), 3) == 1);
        second[at] = before[0];
        second[at + 1] = before[1];
      }
    }
    CHECK(find_bad_scale(dtype, blocks.data(), 3) == -1);
  }
}

TEST_CASE("rows of planes are at most 4 % longer than rows of blocks, in the widths that models have") {
  for (const Dtype dtype : quantized_types) {
    CAPTURE(name_of(dtype));
    for (const std::int64_t width : {768, 896, 1024, 1280, 1536, 2048, 2560, 2880, 3072, 4096, 5120, 11008, 14336}) {
      CAPTURE(width);
      const std::int64_t columns = width / row_of(dtype).block_elements * row_of(dtype).block_elements;
      CHECK(100 * row_bytes(dtype, columns) <= 104 * file_row_bytes(dtype, columns));
    }
  }
}

TEST_CASE("planes hold what blocks hold: as many bytes, rounded to words, and nothing is written beside them") {
  for (const Dtype dtype : quantized_types) {
    const DtypeRow& row = row_of(dtype);
    CAPTURE(row.name);
    for (const std::int64_t count : {1, 2, 3, 20}) {
      const std::int64_t columns = count * row.block_elements, bytes = row_bytes(dtype, columns);
      CHECK(bytes >= count * row.block_bytes);
      CHECK(bytes < count * row.block_bytes + 3 * 4 + 16);
      const std::vector<std::byte> blocks = random_blocks(dtype, block_scales[0], static_cast<std::size_t>(count));
      std::vector<std::byte> cut(static_cast<std::size_t>(bytes), std::byte{0x55});
      cut_into_planes(dtype, blocks.data(), columns, cut);
      // A plane's padding is zero; what is before it has every bit of the codes.
      std::int64_t set = 0, set_in_file = 0;
      for (std::size_t plane = 0; plane < 4; ++plane) {
        const std::int64_t begin = plane_offset(dtype, columns, static_cast<Plane>(plane));
        const std::int64_t end = begin + count * row.planes[plane];
        const std::int64_t next = plane == 3 ? bytes : plane_offset(dtype, columns, static_cast<Plane>(plane + 1));
        for (std::int64_t at = end; at < next; ++at) CHECK(cut[static_cast<std::size_t>(at)] == std::byte{0});
        for (std::int64_t at = begin; at < end; ++at)
          set += std::popcount(std::to_integer<unsigned>(cut[static_cast<std::size_t>(at)]));
      }
      for (const std::byte byte : blocks) set_in_file += std::popcount(std::to_integer<unsigned>(byte));
      CHECK(set == set_in_file);
    }
  }
}
