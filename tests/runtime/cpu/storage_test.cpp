// Where weights of the CPU lie: matrices where their file is mapped, what kernels take for one piece in a copy.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/cpu/ways.hpp"
#include "tests/runtime/vulkan/toy_engine.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
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

}  // namespace

TEST_CASE("matrices are read where their file is mapped, and the plan of memory knows how many bytes these are") {
  const tests::TemporaryDirectory directory;
  const std::string path = directory.write("model.safetensors", test::overflowing_checkpoint());
  const Program& program = test::toy_program();
  const HostWeights weights = HostWeights::open(program, path);
  const Storage storage(program, weights, {});
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
  CHECK(mapped == weight_bytes(program).mapped);
  CHECK(mapped == (test::toy_vocab_size + test::toy_layers * test::toy_hidden_size) * test::toy_hidden_size * 4);
}

TEST_CASE("weights at random have no file: all are copied") {
  const Program& program = test::toy_program();
  const HostWeights weights = HostWeights::random(program, 1);
  const Storage storage(program, weights, {});
  for (std::size_t id = 0; id < weights.stored().size(); ++id) {
    CHECK(weights.rows_in_place(static_cast<std::int32_t>(id)).empty());
    CHECK(storage.stored(static_cast<std::int32_t>(id)).rows[0] != nullptr);
  }
}
