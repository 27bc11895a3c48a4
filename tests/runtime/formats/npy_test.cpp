#include "runtime/formats/npy.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "runtime/error.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using tests::TemporaryDirectory;
using Shape = std::vector<std::int64_t>;

TEST_CASE("the bytes written are those NumPy 1.0 files have") {
  const TemporaryDirectory directory;
  write_npy(directory.path() / "a.npy", std::vector<float>{1, 2, 3, 4, 5, 6}, Shape{2, 3});
  const std::string bytes = tests::read_file(directory.path() / "a.npy");
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  header.resize(117, ' ');
  const std::string start("\x93NUMPY\x01\x00\x76\x00", 10);
  REQUIRE(bytes.size() == 128 + 24);
  CHECK(bytes.substr(0, 128) == start + header + "\n");
  CHECK(bytes.substr(128, 8) == std::string("\x00\x00\x80\x3f\x00\x00\x00\x40", 8));
}

TEST_CASE("what is written is read back to the bit") {
  const TemporaryDirectory directory;
  const std::vector<float> values = {-0.0f, 1e-45f, std::numeric_limits<float>::infinity(), 3.14159274f};
  for (const Shape& shape : {Shape{4}, Shape{2, 2}, Shape{4, 1, 1}}) {
    write_npy(directory.path() / "b.npy", values, shape);
    const NpyArray array = read_npy(directory.path() / "b.npy");
    CHECK(array.shape == shape);
    CHECK(std::memcmp(array.values.data(), values.data(), 16) == 0);
  }
  write_npy(directory.path() / "empty.npy", {}, Shape{0, 5});
  CHECK(read_npy(directory.path() / "empty.npy").values.empty());
}

TEST_CASE("rows appended one by one make the same file") {
  const TemporaryDirectory directory;
  write_npy(directory.path() / "whole.npy", std::vector<float>{1, 2, 3, 4}, Shape{2, 2});
  NpyWriter writer(directory.path() / "rows.npy", Shape{2, 2});
  writer.append(std::vector<float>{1, 2});
  writer.append(std::vector<float>{3, 4});
  writer.commit();
  CHECK(tests::read_file(directory.path() / "rows.npy") == tests::read_file(directory.path() / "whole.npy"));
}

TEST_CASE("an array that is not filled is never seen") {
  const TemporaryDirectory directory;
  {
    NpyWriter writer(directory.path() / "part.npy", Shape{2, 2});
    writer.append(std::vector<float>{1, 2});
    CHECK_THROWS_AS(writer.commit(), Error);
  }
  CHECK(tests::entries(directory.path()) == 0);
}

TEST_CASE("files that are not float32 arrays are refused") {
  const TemporaryDirectory directory;
  write_npy(directory.path() / "good.npy", std::vector<float>{1, 2, 3, 4}, Shape{4});
  const std::string good = tests::read_file(directory.path() / "good.npy");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string bytes = good;
    return bytes.replace(bytes.find(from), from.size(), to);
  };
  for (const std::string& bytes :
       {std::string(), good.substr(0, 8), good.substr(0, 60), good.substr(0, good.size() - 1),
        changed("NUMPY", "NUMPI"), changed("<f4", "<f8"), changed("False", "True "), changed("(4,)", "(5,)"),
        changed("(4,)", "(-4)"), changed("shape", "shame")}) {
    directory.write("bad.npy", bytes);
    CHECK_THROWS_AS(read_npy(directory.path() / "bad.npy"), Error);
  }
}
