#include <doctest/doctest.h>

#include "generator/clang/clang.hpp"

using namespace monomorph::generator;

namespace {

CppInput text(const std::string& code) { return {"emitted.hpp", code, {}}; }

std::string fault(const CppInput& input, const std::string& name) {
  try {
    evaluate_constants(input, {name});
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& whole, const std::string& part) { return whole.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("constants are evaluated by qualified name, folds over types included") {
  const auto values = evaluate_constants(
      text("#include <cstdint>\n"
           "namespace tiny { template <class... Axes> inline constexpr std::int64_t product = (Axes::size * ...);\n"
           "struct vocab { static constexpr std::int64_t size = 128256; };\n"
           "struct hidden { static constexpr std::int64_t size = 4096; };\n"
           "inline constexpr std::int64_t parameters = 32 * product<vocab, hidden>; }\n"
           "constexpr int negative = -3;"),
      {"tiny::parameters", "negative", "tiny::vocab::size"});
  CHECK(values.at("tiny::parameters") == std::int64_t{32} * 128256 * 4096);
  CHECK(values.at("negative") == -3);
  CHECK(values.at("tiny::vocab::size") == 128256);
}

TEST_CASE("a constant that cannot be had is an internal error that names it") {
  CHECK(contains(fault(text("constexpr int a = 1;"), "tiny::b"), "tiny::b: no variable of this name"));
  CHECK(contains(fault(text("int a = 1;"), "a"), "a: not constexpr"));
  CHECK(contains(fault(text("constexpr double a = 1;"), "a"), "a: not an integer constant"));
  CHECK(contains(fault(text("constexpr unsigned long a = -1ul;"), "a"), "a: does not fit in 64 bits with a sign"));
}

TEST_CASE("a total that overflows is an internal error with the place") {
  const std::string message = fault(text("constexpr long a = 4611686018427387904 * 2;"), "a");
  CHECK(contains(message, "emitted.hpp:1:16"));
  CHECK(contains(message, "must be initialized by a constant expression"));
}

TEST_CASE("flags reach the compiler") {
  CppInput input = text("constexpr int a = SIZE;");
  input.flags = {"-DSIZE=42"};
  CHECK(evaluate_constants(input, {"a"}).at("a") == 42);
}
