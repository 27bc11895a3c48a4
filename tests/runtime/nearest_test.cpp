#include "runtime/nearest.hpp"

#include <doctest/doctest.h>

using namespace monomorph;

TEST_CASE("the nearest word is suggested, if it is near") {
  const std::vector<std::string> keys = {"hidden_size", "head_dim", "model"};
  CHECK(nearest("hiden_size", keys) == "hidden_size");
  CHECK(nearest("modle", keys) == "model");
  CHECK(nearest("head_dims", keys) == "head_dim");
  CHECK(nearest("sliding_window", keys) == "");
  CHECK(nearest("", keys) == "");
}
