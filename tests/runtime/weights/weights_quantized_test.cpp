// Weights in blocks: those that a checkpoint has, and those that it is converted to.
#include <doctest/doctest.h>

#include <cstring>

#include "runtime/error.hpp"
#include "runtime/formats/half.hpp"
#include "runtime/formats/quantized.hpp"
#include "runtime/weights/weights.hpp"
#include "tests/support/gguf_writer.hpp"
#include "tests/support/quantized_blocks.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;

namespace {

constexpr const char* prefixes[] = {""};

Program program_of(std::span<const WeightGroup> groups) {
  Program program{};
  program.name = "small";
  program.weights = groups;
  program.checkpoint_prefixes = prefixes;
  return program;
}

/// Blocks of MXFP4 as the hub has them: codes of neighbours together, and scales apart.
std::pair<std::string, std::string> split_blocks(const std::vector<std::byte>& whole) {
  std::pair<std::string, std::string> result;
  for (std::size_t block = 0; block < whole.size() / 17; ++block) {
    const std::byte* const at = &whole[block * 17];
    const auto code = [&](std::size_t i) {
      return std::to_integer<unsigned>(i < 16 ? at[1 + i] & std::byte{15} : at[1 + i - 16] >> 4);
    };
    for (std::size_t i = 0; i < 32; i += 2) result.first += static_cast<char>(code(i) | code(i + 1) << 4);
    result.second += static_cast<char>(at[0]);
  }
  return result;
}

}  // namespace

// A matrix of five quantized rows out of nine, stacked on one whose heads of four rows have their halves in turn.
TEST_CASE("quantized rows of a GGUF file are decoded where they are read and cut into planes where they are stored") {
  constexpr std::int64_t columns = 512;
  for (const Dtype dtype : tests::quantized_types) {
    CAPTURE(name_of(dtype));
    const DtypeRow& type = row_of(dtype);
    const auto row_in_file = static_cast<std::size_t>(file_row_bytes(dtype, columns));
    const auto text_of = [&](std::uint64_t seed, std::size_t rows) {
      const auto blocks = static_cast<std::size_t>(columns / type.block_elements) * rows;
      const std::vector<std::byte> bytes = tests::random_blocks(dtype, tests::block_scales[0], blocks, seed);
      return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    std::string first = text_of(3, 9), second = text_of(4, 8);
    constexpr RowView some{5, 2, 9}, turned{8, 0, 8, false, {}, 0, 4};
    const WeightPart parts[] = {{"first", some}, {"second", turned}};
    const WeightPattern patterns[] = {{"some", dtype, 5, columns, std::span(parts).first(1)},
                                      {"turned", dtype, 8, columns, std::span(parts).last(1)}};
    const StoredPiece pieces[] = {{0, 5}, {1, 8}};
    const StoredPattern stored[] = {{"stacked", dtype, 13, columns, pieces}};
    const WeightGroup group[] = {{patterns, stored, {}}};
    const Program program = program_of(group);
    const tests::TemporaryDirectory directory;
    const auto write = [&] {
      tests::GgufText file;
      const std::uint32_t number = tests::ggml_number(dtype);
      file.tensors = {{"first", number, {columns, 9}, first}, {"second", number, {columns, 8}, second}};
      return directory.write("model.gguf", file.bytes());
    };
    const HostWeights weights = HostWeights::open(program, write());
    // Rows 0 to 3 of a head stand at 0, 2, 1, 3.
    const std::vector<std::size_t> order = {0, 2, 1, 3, 4, 6, 5, 7};
    const auto stride = static_cast<std::size_t>(row_bytes(dtype, columns));
    std::vector<std::byte> device(13 * stride), expected(stride);
    weights.stored_rows(0, 0, 13, device);
    for (std::size_t row = 0; row < 13; ++row) {
      const std::string& file = row < 5 ? first : second;
      const std::size_t at = (row < 5 ? row + 2 : order[row - 5]) * row_in_file;
      const auto* const blocks = reinterpret_cast<const std::byte*>(file.data() + at);
      cut_into_planes(dtype, blocks, columns, expected);
      CHECK(std::equal(expected.begin(), expected.end(), device.begin() + static_cast<std::ptrdiff_t>(row * stride)));
      std::vector<float> decoded(columns), read(columns);
      decode_blocks(dtype, blocks, decoded);
      const std::int32_t weight = row < 5 ? 0 : 1;
      const auto own_row = static_cast<std::int64_t>(row < 5 ? row : row - 5);
      weights.row(weight, own_row, read);
      CHECK(read == decoded);
      CHECK(weights.at(weight, own_row, 300) == static_cast<double>(decoded[300]));
    }
    const std::size_t scale = dtype == Dtype::mxfp4 ? 0 : tests::halves_of(dtype).front() + 1;
    second[row_in_file + scale] = '\xff';
    const HostWeights damaged = HostWeights::open(program, write());
    CHECK_THROWS_WITH_AS(damaged.stored_rows(0, 0, 13, device), doctest::Contains("turned: row 2 has a scale"), Error);
  }
}

TEST_CASE("rows of blocks whose scales stand in a tensor of their own are read and stored as those of whole blocks") {
  constexpr std::int64_t columns = 96;
  const auto row_in_file = static_cast<std::size_t>(file_row_bytes(Dtype::mxfp4, columns));
  const std::vector<std::byte> whole = tests::random_blocks(Dtype::mxfp4, tests::block_scales[0], 6 * 3, 5);
  const auto [blocks, scales] = split_blocks(whole);
  const WeightPart parts[] = {{"both", {3, 1, 6, false, 1, 2}}};  // every other row
  const WeightPattern patterns[] = {{"odd", Dtype::mxfp4, 3, columns, parts}};
  const StoredPiece pieces[] = {{0, 3}};
  const StoredPattern stored[] = {{"odd", Dtype::mxfp4, 3, columns, pieces}};
  const WeightGroup group[] = {{patterns, stored, {}}};
  const tests::TemporaryDirectory directory;
  const HostWeights weights = HostWeights::open(
      program_of(group),
      directory.write("model.safetensors", tests::safetensors({{"both_blocks", "U8", {6, 3, 16}, blocks},
                                                               {"both_scales", "U8", {6, 3}, scales}})));
  const auto stride = static_cast<std::size_t>(row_bytes(Dtype::mxfp4, columns));
  std::vector<std::byte> device(3 * stride), expected(stride);
  weights.stored_rows(0, 0, 3, device);
  for (std::size_t row = 0; row < 3; ++row) {
    const std::byte* const at = &whole[(2 * row + 1) * row_in_file];
    cut_into_planes(Dtype::mxfp4, at, columns, expected);
    CHECK(std::equal(expected.begin(), expected.end(), device.begin() + static_cast<std::ptrdiff_t>(row * stride)));
    std::vector<float> decoded(columns), read(columns);
    decode_blocks(Dtype::mxfp4, at, decoded);
    weights.row(0, static_cast<std::int64_t>(row), read);
    CHECK(read == decoded);
    CHECK(weights.at(0, static_cast<std::int64_t>(row), 70) == static_cast<double>(decoded[70]));
  }
}

// Each tensor's lines are one block long, so that both have blocks of the same numbers.
TEST_CASE("matrices that stand transposed in blocks are decoded, block by block of their own tensor") {
  constexpr std::int64_t columns = 6, rows = 32;
  std::vector<tests::TensorText> tensors;
  std::vector<std::vector<float>> decoded;
  for (const std::string name : {"a", "b"}) {
    const std::vector<std::byte> whole =
        tests::random_blocks(Dtype::mxfp4, tests::block_scales[0], columns, decoded.size());
    const auto [blocks, scales] = split_blocks(whole);
    tensors.push_back({name + "_blocks", "U8", {columns, 1, 16}, blocks});
    tensors.push_back({name + "_scales", "U8", {columns, 1}, scales});
    decode_blocks(Dtype::mxfp4, whole.data(), decoded.emplace_back(columns * rows));
  }
  const WeightPart parts[] = {{"a", {rows, 0, rows, true}}, {"b", {rows, 0, rows, true}}};
  const WeightPattern patterns[] = {{"turned", Dtype::f32, 2 * rows, columns, parts, false, {}, Dtype::mxfp4}};
  const WeightGroup group[] = {{patterns, {}, {}}};
  const tests::TemporaryDirectory directory;
  const HostWeights weights =
      HostWeights::open(program_of(group), directory.write("model.safetensors", tests::safetensors(tensors)));
  for (std::int64_t row = 0; row < 2 * rows; ++row) {
    CAPTURE(row);
    std::vector<float> read(columns);
    weights.row(0, row, read);
    for (std::int64_t c = 0; c < columns; ++c) {
      const float expected =
          decoded[static_cast<std::size_t>(row / rows)][static_cast<std::size_t>(c * rows + row % rows)];
      CHECK(read[static_cast<std::size_t>(c)] == expected);
    }
  }
}

// A transposed matrix of 41 rows out of 50, more than are read together, stacked on one that is as narrow already.
TEST_CASE("a matrix that is wider in the checkpoint is read and stored as what it is converted to") {
  constexpr std::int64_t height = 50, rows = 41;
  for (const auto& [from, to, columns] : {std::tuple{Dtype::f32, Dtype::f16, std::int64_t{7}},
                                          {Dtype::f32, Dtype::bf16, 7},
                                          {Dtype::f32, Dtype::q8_0, 96},
                                          {Dtype::f16, Dtype::q4_0, 32},
                                          {Dtype::bf16, Dtype::q8_0, 64}}) {
    CAPTURE(name_of(from));
    CAPTURE(name_of(to));
    std::string text;
    const auto value_at = [](std::int64_t row, std::int64_t column) {
      return static_cast<float>((row * 37 + column * 11) % 101 - 50) / 8;  // every type but q ones holds it
    };
    const auto append = [&](float value) {
      const std::uint16_t half = from == Dtype::f16 ? f16_from_f32(value) : bf16_from_f32(value);
      text.append(from == Dtype::f32 ? reinterpret_cast<const char*>(&value) : reinterpret_cast<const char*>(&half),
                  static_cast<std::size_t>(element_bytes(from)));
    };
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::int64_t r = 0; r < height; ++r) append(value_at(r, c));
    }
    const auto narrow_bytes = static_cast<std::size_t>(file_row_bytes(to, columns));
    const std::string narrow(2 * narrow_bytes, '\x11');
    const WeightPart parts[] = {{"wide", {rows, 9, height, true}}, {"narrow", {2, 0, 2}}};
    const WeightPattern patterns[] = {{"converted", to, rows, columns, std::span(parts).first(1), false, {}, from},
                                      {"kept", to, 2, columns, std::span(parts).last(1)}};
    const StoredPiece pieces[] = {{0, rows}, {1, 2}};
    const StoredPattern stored[] = {{"stacked", to, rows + 2, columns, pieces}};
    const WeightGroup group[] = {{patterns, stored, {}}};
    const Program program = program_of(group);
    const tests::TemporaryDirectory directory;
    const auto open = [&] {
      tests::GgufText file;
      const auto width = static_cast<std::uint64_t>(columns);
      file.tensors = {{"wide", tests::ggml_number(from), {height, width}, text},
                      {"narrow", tests::ggml_number(to), {width, 2}, narrow}};
      return HostWeights::open(program, directory.write("model.gguf", file.bytes()));
    };
    const HostWeights weights = open();

    const auto stride = static_cast<std::size_t>(row_bytes(to, columns));
    std::vector<std::byte> device((rows + 2) * stride), some(35 * stride), blocks(narrow_bytes), expected(stride);
    weights.stored_rows(0, 0, rows + 2, device);
    weights.stored_rows(0, 3, 35, some);
    CHECK(std::equal(some.begin(), some.end(), device.begin() + 3 * static_cast<std::ptrdiff_t>(stride)));
    std::vector<float> values(static_cast<std::size_t>(columns)), read(values), decoded(values);
    for (std::int64_t row = 0; row < rows + 2; ++row) {
      for (std::int64_t c = 0; c < columns; ++c) values[static_cast<std::size_t>(c)] = value_at(row + 9, c);
      if (row < rows) {
        encode_blocks(to, values, blocks.data());
      } else {
        std::memcpy(blocks.data(), narrow.data(), blocks.size());
      }
      cut_into_planes(to, blocks.data(), columns, expected);
      CHECK(std::equal(expected.begin(), expected.end(), device.begin() + row * static_cast<std::ptrdiff_t>(stride)));
      decode_blocks(to, blocks.data(), decoded);
      const std::int32_t weight = row < rows ? 0 : 1;
      const std::int64_t own_row = row < rows ? row : row - rows;
      weights.row(weight, own_row, read);
      CHECK(read == decoded);
      CHECK(weights.at(weight, own_row, 6) == static_cast<double>(decoded[6]));
    }
    CHECK(list_conversions(program) == Conversions{{{from, to}, 1}});

    if (from == Dtype::bf16) {  // 2^100 in row 40, column 5
      text.replace(static_cast<std::size_t>(5 * height + 49) * 2, 2, "\x80\x71");
      CHECK_THROWS_WITH_AS(
          open().stored_rows(0, 0, rows + 2, device),
          doctest::Contains("converted (wide): row 40 has 1.2676506e+30 in column 5, which q8_0 cannot "
                            "hold; build without engine.weights"),
          Error);
    } else if (to == Dtype::f16) {
      const float large = -70000;
      text.replace(static_cast<std::size_t>(height + 9) * 4, 4, reinterpret_cast<const char*>(&large), 4);
      const HostWeights damaged = open();
      const doctest::Contains message(
          "converted (wide): row 0 has -70000 in column 1, which f16 cannot hold; build with "
          "--set engine.weights=bf16, or without");
      CHECK_THROWS_WITH_AS(damaged.stored_rows(0, 0, 1, std::span(some).first(stride)), message, Error);
      CHECK_THROWS_WITH_AS(damaged.row(0, 0, read), message, Error);
      damaged.row(0, 1, read);  // others are as they were
      CHECK(read[1] == value_at(10, 1));
    } else if (from == Dtype::f16) {
      text.replace(static_cast<std::size_t>(9) * 2, 2, "\x01\x7c");
      CHECK_THROWS_WITH_AS(open().at(0, 0, 20), doctest::Contains("row 0 has nan in column 0, which q4_0 cannot hold"),
                           Error);
    }
  }
}

TEST_CASE("blocks of a wider quantized type are decoded and made anew") {
  constexpr std::int64_t columns = 256, rows = 3;
  for (const Dtype from : {Dtype::q8_0, Dtype::q6_k, Dtype::q5_1}) {
    CAPTURE(name_of(from));
    const std::vector<std::byte> blocks = tests::random_blocks(
        from, tests::block_scales[3], static_cast<std::size_t>(rows * columns / row_of(from).block_elements));
    std::vector<float> values(rows * columns), decoded(rows * columns), read(columns);
    decode_blocks(from, blocks.data(), values);
    std::vector<std::byte> expected(rows * static_cast<std::size_t>(file_row_bytes(Dtype::q4_0, columns)));
    encode_blocks(Dtype::q4_0, values, expected.data());
    decode_blocks(Dtype::q4_0, expected.data(), decoded);

    const WeightPart parts[] = {{"wide", {rows, 0, rows}}};
    const WeightPattern patterns[] = {{"converted", Dtype::q4_0, rows, columns, parts, false, {}, from}};
    const StoredPiece pieces[] = {{0, rows}};
    const StoredPattern stored[] = {{"stored", Dtype::q4_0, rows, columns, pieces}};
    const WeightGroup group[] = {{patterns, stored, {}}};
    const Program program = program_of(group);
    tests::GgufText file;
    file.tensors = {{"wide",
                     tests::ggml_number(from),
                     {columns, rows},
                     std::string(reinterpret_cast<const char*>(blocks.data()), blocks.size())}};
    const tests::TemporaryDirectory directory;
    const HostWeights weights = HostWeights::open(program, directory.write("model.gguf", file.bytes()));
    for (std::int64_t row = 0; row < rows; ++row) {
      weights.row(0, row, read);
      CHECK(std::equal(read.begin(), read.end(), decoded.begin() + row * columns));
    }
  }
}

TEST_CASE("random weights are of the type that the engine computes with") {
  const WeightPart parts[] = {{"w", {8, 0, 8}}};
  const WeightPattern converted[] = {{"w", Dtype::q4_0, 8, 64, parts, false, {}, Dtype::f32}};
  const WeightPattern plain[] = {{"w", Dtype::q4_0, 8, 64, parts}};
  std::vector<float> rows[2] = {std::vector<float>(64), std::vector<float>(64)};
  for (const auto& [patterns, row] : {std::pair(converted, &rows[0]), std::pair(plain, &rows[1])}) {
    const WeightGroup group[] = {{std::span(patterns, 1), {}, {}}};
    const Program program = program_of(group);
    HostWeights::random(program, 4).row(0, 5, *row);
  }
  CHECK(rows[0] == rows[1]);
}
