// Goldens of the contract's text. After a change that is meant, MONOMORPH_UPDATE_GOLDENS=1 writes them anew.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

void check_golden(const std::string& spec, const std::string& golden) {
  const std::string root = std::string(MONOMORPH_SOURCE_DIR) + "/";
  const Judged judged = judge(read_source(root + spec));
  REQUIRE(judged.contract);
  const std::string path = root + "tests/generator/contract/golden/" + golden, dump = dump_contract(*judged.contract);
  if (std::getenv("MONOMORPH_UPDATE_GOLDENS") != nullptr) std::ofstream(path, std::ios::binary) << dump;
  CHECK(dump == read_source(path)->text);
}

}  // namespace

TEST_CASE("the contract of the embedded model is its golden") { check_golden("models/kjv.toml", "kjv.txt"); }
TEST_CASE("the contract of an odd-shaped model is its golden") {
  check_golden("tests/cases/pass/odd_sizes.toml", "odd_sizes.txt");
}
TEST_CASE("the contract of a model with kinds of layer is its golden") {
  check_golden("tests/cases/pass/kinds.toml", "kinds.txt");
}
