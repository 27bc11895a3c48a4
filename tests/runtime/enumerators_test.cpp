#include "runtime/enumerators.hpp"

#include <doctest/doctest.h>

#include "runtime/dtype.hpp"

namespace {

enum class Coin { heads, tails };
enum class One : unsigned { only_1 };
struct Holder {
  enum class Inner { a, b, c };
};

}  // namespace

TEST_CASE("an enumeration has as many values as it names") {
  CHECK(monomorph::enumerator_count<Coin>() == 2);
  CHECK(monomorph::enumerator_count<One>() == 1);
  CHECK(monomorph::enumerator_count<Holder::Inner>() == 3);
  CHECK(monomorph::enumerator_count<monomorph::Dtype>() == 16);
}
