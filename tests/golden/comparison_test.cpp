#include "tests/golden/comparison.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/golden/golden.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph::golden;
using monomorph::tests::TemporaryDirectory;

namespace {

/// Five tokens, of which rows 0, 2 and 4 are kept: (1, 2), (3, 4), (5, 12).
Golden small_golden() { return {"small", {7, 8, 9, 10, 11}, {0, 2, 4}, {}, 2, {1, 2, 3, 4, 5, 12}}; }

}  // namespace

TEST_CASE("the error of a row is relative, in L2") {
  const float golden[] = {3, 4};
  const float ours[] = {3, 4.5f};
  CHECK(row_error(ours, golden) == doctest::Approx(0.1));
  CHECK(row_error(golden, golden) == 0);
}

TEST_CASE("a NaN, an infinity and a row of another size are infinitely wrong") {
  const float golden[] = {3, 4};
  const float nan[] = {3, std::numeric_limits<float>::quiet_NaN()};
  const float infinite[] = {std::numeric_limits<float>::infinity(), 4};
  const float longer[] = {3, 4, 0};
  CHECK(row_error(nan, golden) == std::numeric_limits<double>::infinity());
  CHECK(row_error(infinite, golden) == std::numeric_limits<double>::infinity());
  CHECK(row_error(longer, golden) == std::numeric_limits<double>::infinity());
}

TEST_CASE("rows are compared where the golden keeps them, and the worst is named") {
  const Golden golden = small_golden();
  Comparison comparison(golden, "prefill");
  const float rows[5][2] = {{1, 2}, {100, 100}, {3, 4.5f}, {-9, 0}, {5, 12}};
  for (const auto& row : rows) comparison.next(row);
  CHECK(comparison.compared() == 3);
  CHECK(comparison.worst_row() == 2);
  CHECK(comparison.worst() == doctest::Approx(0.1));
}

TEST_CASE("rows that do not come are not counted") {
  const Golden golden = small_golden();
  Comparison comparison(golden, "decode");
  const float row[] = {1, 2};
  comparison.next(row);
  CHECK(comparison.compared() == 1);
  CHECK(comparison.worst() == 0);
}

TEST_CASE("the last row of a prompt is the row of that index") {
  const Golden golden = small_golden();
  Comparison comparison(golden, "prompt of 3");
  const float row[] = {3, 4.5f};
  comparison.last_of_prompt(3, row);
  CHECK(comparison.worst_row() == 2);
  CHECK(comparison.worst() == doctest::Approx(0.1));
  CHECK_THROWS_WITH(comparison.last_of_prompt(2, row), "small: row 1 is not kept");
}

TEST_CASE("a committed golden is read whole") {
  const Golden golden = read_golden(MONOMORPH_SOURCE_DIR "/tests/golden/cases/llama-1-f16");
  CHECK(golden.name == "llama-1-f16");
  CHECK(golden.tokens.size() == 300);
  CHECK(golden.row_size == 97);
  CHECK(golden.logits.size() == golden.rows.size() * 97);
  for (const std::int64_t length : {1, 2, 63, 64, 65, 300}) CHECK_NOTHROW(golden.last_of_prompt(length));
}

TEST_CASE("a golden whose parts disagree is refused") {
  const TemporaryDirectory directory;
  CHECK_THROWS(read_golden(directory.path()));
  directory.write("golden.json", R"({"tokens": [1, 2], "rows": [0, 2], "logits": "logits.npy"})");
  CHECK_THROWS(read_golden(directory.path()));
}
