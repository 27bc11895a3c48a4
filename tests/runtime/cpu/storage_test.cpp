// Where weights of the CPU lie: matrices where their file is mapped, quantized ones and what kernels take for one piece
// in a copy.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/cpu/backend.hpp"
#include "runtime/cpu/interleave.hpp"
#include "runtime/cpu/levels/levels.hpp"
#include "runtime/cpu/storage.hpp"
#include "runtime/error.hpp"
#include "tests/runtime/vulkan/toy_engine.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/gguf_writer.hpp"
#include "tests/support/quantized_blocks.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::cpu;

namespace {

/// Whether an address is one of a file that is mapped into this process.
bool is_mapped_from(const std::string& path, const std::byte* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with(path)) continue;
    std::istringstream range(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    range >> std::hex >> begin >> dash >> end;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (begin <= at && at < end) return true;
  }
  return false;
}

/// Bytes of a mapped file that this process has in its memory.
std::int64_t resident_bytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  std::int64_t kilobytes = 0;
  bool of_path = false;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t space = line.find(' ');
    if (line.find('-') < space) of_path = line.ends_with(path);
    if (of_path && line.starts_with("Rss:")) kilobytes += std::stoll(line.substr(4));
  }
  return kilobytes * 1024;
}

constexpr const char* prefixes[] = {""};
constexpr std::int64_t quantized_rows = 2051, quantized_columns = 512, plain_rows = 16;
constexpr WeightPart quantized_parts[] = {{"quantized", {quantized_rows, 0, quantized_rows}}};
constexpr WeightPart plain_parts[] = {{"plain", {plain_rows, 0, plain_rows}}};
constexpr WeightPattern mixed_weights[] = {
    {"quantized", Dtype::q4_k, quantized_rows, quantized_columns, quantized_parts},
    {"plain", Dtype::f16, plain_rows, quantized_columns, plain_parts}};
constexpr StoredPiece quantized_pieces[] = {{0, quantized_rows}}, plain_pieces[] = {{1, plain_rows}};
constexpr StoredPattern mixed_stored[] = {
    {"quantized", Dtype::q4_k, quantized_rows, quantized_columns, quantized_pieces},
    {"plain", Dtype::f16, plain_rows, quantized_columns, plain_pieces}};
constexpr WeightGroup mixed_groups[] = {{mixed_weights, mixed_stored, {}}};

/// A quantized matrix, one that is not, and nothing that reads them.
Program mixed_program() {
  Program program{};
  program.name = "mixed";
  program.weights = mixed_groups;
  program.checkpoint_prefixes = prefixes;
  return program;
}

enum class MixedKernel : std::int32_t { multiplies, gathers, takes_whole };
constexpr Binding rows_binding[] = {{"weights", Access::read, true}},
                  whole_binding[] = {{"weights", Access::read, false}};
constexpr Kernel mixed_kernels[] = {{"multiplies", KernelKind::matvec, {}, rows_binding, {}, 1},
                                    {"gathers", KernelKind::gather, {}, rows_binding, {}, 1},
                                    {"takes_whole", KernelKind::map, {}, whole_binding, {}, 1}};
constexpr cpu::Function mixed_functions[] = {{nullptr, nullptr, [](const cpu::Level&) { return true; }}, {}, {}};

/// The same, of which kernels read the quantized matrix: in banks of so many rows.
Program read_by(std::vector<MixedKernel> readers, std::int64_t banks = 1) {
  Program program = mixed_program();
  program.kernels = mixed_kernels;
  program.cpu_kernels = mixed_functions;
  program.phases = {{"tiles", Stage::layers, Lowering::tiles, 1, [readers, banks](Recorder& record) {
                       for (const MixedKernel reader : readers) {
                         record.dispatch(static_cast<std::int32_t>(reader), {Weight<void, f32>{0}},
                                         quantized_rows / banks, Count::rows, 1, banks);
                       }
                     }}};
  return program;
}

tests::GgufText mixed_file() {
  const auto blocks = static_cast<std::size_t>(quantized_rows * quantized_columns / 256);
  const std::vector<std::byte> bytes = tests::random_blocks(Dtype::q4_k, tests::block_scales[0], blocks, 7);
  tests::GgufText file;
  file.tensors = {{"quantized",
                   tests::ggml_number(Dtype::q4_k),
                   {quantized_columns, quantized_rows},
                   {reinterpret_cast<const char*>(bytes.data()), bytes.size()}},
                  {"plain",
                   tests::ggml_number(Dtype::f16),
                   {quantized_columns, plain_rows},
                   std::string(plain_rows * quantized_columns * 2, '\1')}};
  return file;
}

}  // namespace

TEST_CASE("quantized matrices are copied where there is memory for it, and the file's pages are given back") {
  const Program program = mixed_program();
  const tests::TemporaryDirectory directory;
  const std::string path = directory.write("model.gguf", mixed_file().bytes());
  for (const Quantized quantized : {Quantized::mapped, Quantized::copied}) {
    const HostWeights weights = HostWeights::open(program, path);
    std::int64_t told = -1, of = -1;
    const Storage storage(program, weights, quantized, best_level(), [&](std::int64_t done, std::int64_t total) {
      CHECK(done >= told);
      told = done, of = total;
    });
    const bool copied = quantized == Quantized::copied;
    CAPTURE(copied);
    CHECK(told == of);
    CHECK(of == weight_bytes(program, nullptr, quantized).copied);
    CHECK(of == weight_bytes(program, &weights, quantized).copied);
    // The copy is rounded up to 64 bytes.
    CHECK(of == (copied ? (quantized_rows * file_row_bytes(Dtype::q4_k, quantized_columns) + 63) / 64 * 64 : 0));
    if (copied) CHECK(resident_bytes(path) < (1 << 17));
    for (const std::int32_t id : {0, 1}) {
      const StoredEntry& entry = weights.stored()[static_cast<std::size_t>(id)];
      const cpu::Argument argument = storage.stored(id);
      std::vector<std::byte> row(static_cast<std::size_t>(entry.file_row_bytes()));
      bool all_as_in_file = true, all_mapped = true, any_mapped = false;
      for (const std::int64_t r : {std::int64_t{0}, entry.pattern->rows / 2, entry.pattern->rows - 1}) {
        weights.file_rows(id, r, 1, row);
        all_as_in_file = all_as_in_file && std::equal(row.begin(), row.end(), argument.rows[r]);
        const bool mapped = is_mapped_from(path, argument.rows[r]);
        all_mapped = all_mapped && mapped;
        any_mapped = any_mapped || mapped;
      }
      CHECK(all_as_in_file);
      CHECK(all_mapped == (id == 1 || !copied));
      CHECK(any_mapped == all_mapped);
    }
  }
}

TEST_CASE("copied rows are interleaved where a kernel that multiplies them reads that faster, eight and eight") {
  using enum MixedKernel;
  const tests::TemporaryDirectory directory;
  const std::string path = directory.write("model.gguf", mixed_file().bytes());
  struct Case {
    Program program;
    Quantized quantized;
    std::int64_t interleaved;
  };
  constexpr std::int64_t whole_eights = quantized_rows / 8 * 8;
  const Case cases[] = {{read_by({multiplies, gathers}), Quantized::copied, whole_eights},
                        {read_by({multiplies}), Quantized::mapped, 0},
                        {read_by({gathers}), Quantized::copied, 0},
                        {read_by({multiplies, takes_whole}), Quantized::copied, 0},
                        {read_by({multiplies}, 7), Quantized::copied, 0}};  // 293 is no multiple of 8
  for (const Case& each : cases) {
    const HostWeights weights = HostWeights::open(each.program, path);
    const Storage storage(each.program, weights, each.quantized, best_level(), {});
    const cpu::Argument argument = storage.stored(0);
    CAPTURE(&each - cases);
    CHECK(argument.interleaved == each.interleaved);
    const std::int64_t row_bytes = file_row_bytes(Dtype::q4_k, quantized_columns);
    std::vector<std::byte> row(static_cast<std::size_t>(row_bytes)), apart = row;
    std::int64_t wrong = 0;
    for (std::int64_t r = 0; r < quantized_rows; ++r) {
      weights.file_rows(0, r, 1, row);
      if (r < argument.interleaved) {
        wrong += argument.rows[r] != argument.rows[r / 8 * 8];
        copy_interleaved_row(Dtype::q4_k, argument.rows[r], r % 8, row_bytes, apart.data());
      } else {
        std::copy_n(argument.rows[r], row_bytes, apart.begin());
      }
      wrong += apart != row;
    }
    CHECK(wrong == 0);
    CHECK(storage.stored(1).interleaved == 0);
  }
}

TEST_CASE("a scale that is no number is refused, copied or not") {
  const Program program = mixed_program();
  const tests::TemporaryDirectory directory;
  tests::GgufText file = mixed_file();
  file.tensors[0].bytes[3 * static_cast<std::size_t>(file_row_bytes(Dtype::q4_k, quantized_columns)) + 1] = '\x7f';
  const HostWeights weights = HostWeights::open(program, directory.write("model.gguf", file.bytes()));
  for (const Quantized quantized : {Quantized::mapped, Quantized::copied}) {
    CHECK_THROWS_WITH_AS(Storage(program, weights, quantized, best_level(), {}),
                         doctest::Contains("quantized: row 3 has a scale"), Error);
  }
}

TEST_CASE(
    "quantized matrices stay where their file is mapped once all would take more than half of what is available") {
  const Program program = mixed_program();
  const std::int64_t quantized = weight_bytes(program, nullptr, Quantized::copied).copied;
  const std::int64_t plain = plain_rows * quantized_columns * 2;
  DeviceInfo processor;
  const auto plan_of = [&](std::int64_t available) {
    processor.heaps = {{10 * available, available, true}};
    return cpu::backend().plan_memory(program, &processor);
  };
  CHECK(plan_of(2 * quantized).weights == quantized);
  CHECK(plan_of(2 * quantized).mapped == plain);
  CHECK(plan_of(2 * quantized - 1).weights == 0);
  CHECK(plan_of(2 * quantized - 1).mapped == quantized_rows * file_row_bytes(Dtype::q4_k, quantized_columns) + plain);
  CHECK(cpu::backend().plan_memory(program, nullptr).weights == quantized);
}

TEST_CASE(
    "matrices of floats are read where their file is mapped, and the plan of memory knows how many bytes these are") {
  const tests::TemporaryDirectory directory;
  const std::string path = directory.write("model.safetensors", test::overflowing_checkpoint());
  const Program& program = test::toy_program();
  const HostWeights weights = HostWeights::open(program, path);
  const Storage storage(program, weights, Quantized::mapped, best_level(), {});
  std::int64_t mapped = 0;
  for (std::size_t id = 0; id < weights.stored().size(); ++id) {
    const StoredEntry& entry = weights.stored()[id];
    const cpu::Argument argument = storage.stored(static_cast<std::int32_t>(id));
    const auto row_bytes = static_cast<std::size_t>(file_row_bytes(entry.pattern->format, entry.pattern->columns));
    std::vector<std::byte> row(static_cast<std::size_t>(entry.file_row_bytes()));
    std::int64_t in_file = 0;
    for (std::int64_t r = 0; r < entry.pattern->rows; ++r) {
      weights.file_rows(static_cast<std::int32_t>(id), r, 1, row);
      CHECK(std::equal(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(row_bytes), argument.rows[r]));
      in_file += is_mapped_from(path, argument.rows[r]);
    }
    CAPTURE(entry.name);
    CHECK((in_file == 0 || in_file == entry.pattern->rows));
    mapped += in_file * static_cast<std::int64_t>(row_bytes);
  }
  CHECK(mapped == weight_bytes(program, &weights, Quantized::mapped).mapped);
  CHECK(mapped == weight_bytes(program, nullptr, Quantized::mapped).mapped);
  CHECK(mapped == (test::toy_vocab_size + test::toy_layers * test::toy_hidden_size) * test::toy_hidden_size * 4);
}

TEST_CASE("blocks whose scales the file has in another tensor are copied, and counted so, whatever memory there is") {
  constexpr std::int64_t rows = 16, columns = 64, blocks = rows * columns / 32;
  static constexpr WeightPart parts[] = {{"split", {rows, 0, rows}}};
  static constexpr WeightPattern patterns[] = {{"split", Dtype::mxfp4, rows, columns, parts}};
  static constexpr StoredPiece pieces[] = {{0, rows}};
  static constexpr StoredPattern stored[] = {{"split", Dtype::mxfp4, rows, columns, pieces}};
  static constexpr WeightGroup groups[] = {{patterns, stored, {}}};
  Program program = mixed_program();
  program.weights = groups;
  const tests::TemporaryDirectory directory;
  const std::string path = directory.write(
      "model.safetensors",
      tests::safetensors({{"split_blocks", "U8", {rows, columns / 32, 16}, std::string(blocks * 16, '\x21')},
                          {"split_scales", "U8", {rows, columns / 32}, std::string(blocks, '\x7f')}}));
  const HostWeights weights = HostWeights::open(program, path);
  const Storage storage(program, weights, Quantized::mapped, best_level(), {});
  CHECK(!is_mapped_from(path, storage.stored(0).rows[0]));
  const WeightBytes bytes = weight_bytes(program, &weights, Quantized::mapped);
  CHECK(bytes.mapped == 0);
  CHECK(bytes.copied == (rows * file_row_bytes(Dtype::mxfp4, columns) + 63) / 64 * 64);
}

TEST_CASE("weights at random have no file: all are copied") {
  const Program& program = test::toy_program();
  const HostWeights weights = HostWeights::random(program, 1);
  const Storage storage(program, weights, Quantized::mapped, best_level(), {});
  CHECK(weight_bytes(program, &weights, Quantized::mapped).mapped == 0);
  for (std::size_t id = 0; id < weights.stored().size(); ++id) {
    CHECK(storage.stored(static_cast<std::int32_t>(id)).rows[0] != nullptr);
  }
}
