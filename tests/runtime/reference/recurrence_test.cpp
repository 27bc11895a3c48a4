// Recurrences of the reference against matrices written out by hand.
#include "runtime/reference/recurrence.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "runtime/reference/matrices.hpp"

using namespace monomorph;
using namespace monomorph::reference;

namespace {

template <std::int64_t columns>
Activations<columns> rows(std::vector<double> values) {
  Activations<columns> x(0);
  x.values = std::move(values);
  return x;
}

const auto kept = [](double) { return 0.0; };

}  // namespace

TEST_CASE("queries read what keys have written, also in a later call, and from an earlier position") {
  RecurrentState state;
  const auto step = [&](std::vector<double> q, std::vector<double> k, std::vector<double> v, std::int64_t first) {
    return recurrence<1, 2, 1, 0, 0, 0>(kept, state, rows<2>(std::move(q)), rows<2>(std::move(k)),
                                        rows<1>(std::move(v)), absent, absent, absent, first)
        .values;
  };
  CHECK(step({1, 0, 1, 1}, {1, 2, 3, 4}, {5, 7}, 0) == std::vector<double>{5, 26 + 38});
  CHECK(step({1, 0}, {1, 0}, {1}, 2) == std::vector<double>{27});
  CHECK(step({1, 0}, {2, 0}, {1}, 2) == std::vector<double>{28});  // in place of the third token
  CHECK(step({0, 1}, {0, 1}, {1}, 3) == std::vector<double>{39});
  CHECK_THROWS_AS(step({0, 1}, {0, 1}, {1}, 1), Error);
  CHECK(step({1, 0}, {1, 0}, {3}, 0) == std::vector<double>{3});  // another sequence
  CHECK_THROWS_AS(step({1, 0}, {1, 0}, {3}, 3), Error);           // of the one before it
}

TEST_CASE("a decay is of a head, a key, a value or an element") {
  // Two heads of 2 x 2; the second token adds nothing.
  const auto ones = rows<4>({1, 1, 1, 1, 1, 1, 1, 1});
  const auto values = rows<4>({1, 1, 1, 1, 0, 0, 0, 0});
  const auto of = [&]<std::int64_t h, std::int64_t k, std::int64_t v>(std::integer_sequence<std::int64_t, h, k, v>,
                                                                      const auto& numbers) {
    RecurrentState state;
    const auto log = [](double, double x) { return std::log(x); };
    const auto all = recurrence<2, 2, 2, 0, 0, 0, h, k, v>(log, state, ones, ones, values, absent, absent, absent,
                                                           numbers, std::int64_t{0});
    return std::vector<double>(all.values.begin() + 4, all.values.end());
  };
  using Strides = std::integer_sequence<std::int64_t, 1, 0, 0>;
  const auto near = [](const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]));
  };
  near(of(Strides{}, std::vector<double>{0.5, 0.25}), {1, 1, 0.5, 0.5});
  near(of(std::integer_sequence<std::int64_t, 2, 1, 0>{}, std::vector<double>{0.5, 0.25, 1, 0.125}),
       {0.75, 0.75, 1.125, 1.125});
  near(of(std::integer_sequence<std::int64_t, 2, 0, 1>{}, std::vector<double>{0.5, 0.25, 1, 0.125}), {1, 0.5, 2, 0.25});
  near(of(std::integer_sequence<std::int64_t, 4, 1, 2>{},
          std::vector<double>{0.5, 0.25, 0.125, 1, 0.75, 0.25, 0.5, 0.5}),
       {0.75, 1.125, 1, 1});
}

TEST_CASE("a decay may be of the head's number alone") {
  RecurrentState state;
  const auto halves = [](double head) { return -head * std::log(2); };
  const auto ones = rows<3>({1, 1, 1, 1, 1, 1}), values = rows<3>({1, 1, 1, 0, 0, 0});
  const auto all =
      recurrence<3, 1, 1, 0, 0, 0>(halves, state, ones, ones, values, absent, absent, absent, std::int64_t{0});
  for (std::size_t h = 0; h < 3; ++h) CHECK(all.values[3 + h] == doctest::Approx(std::pow(0.5, h)));
}

TEST_CASE("what is removed has a rate of each head, the same for all tokens or of each") {
  RecurrentState same, each;
  const auto q = rows<2>({1, 1, 1, 1}), v = rows<2>({8, 8, 0, 0});
  const auto k = rows<1>({1, 1});
  CHECK(recurrence<2, 1, 1, 0, 0, 0>(kept, same, q, k, v, k, std::vector<double>{0.25, 1}, absent, std::int64_t{0})
            .values == std::vector<double>{8, 8, 6, 0});
  CHECK(recurrence<2, 1, 1, 0, 0, 0>(kept, each, q, k, v, k, rows<2>({9, 9, 0.5, 2}), absent, std::int64_t{0}).values ==
        std::vector<double>{8, 8, 4, -8});
}

TEST_CASE("what is removed is read of what is left, or of what there was") {
  RecurrentState left, first;
  const auto half = [](double, double) { return std::log(0.5); };
  const auto q = rows<1>({1, 1}), k = rows<1>({1, 1}), v = rows<1>({8, 2}), any = rows<1>({0, 0});
  const auto removed = rows<2>({3, 5, 1, 0.25});  // and beside it what is erased
  const std::int64_t begin = 0;
  CHECK(recurrence<1, 1, 1, 0, 1, 0, 1, 0, 0>(half, left, q, k, v, removed, absent, absent, any, begin).values ==
        std::vector<double>{8, 4 + 2 - 0.25 * 4});
  CHECK(recurrence<1, 1, 1, 1, 1, 0, 1, 0, 0>(half, first, q, k, v, removed, absent, absent, any, begin).values ==
        std::vector<double>{8, 4 + 2 - 0.25 * 8});
}

TEST_CASE("with a bonus queries read what was, and their own token by it; heads share keys; without keys both are 1") {
  RecurrentState state, shared, alone;
  const std::vector<double> bonus = {10};
  CHECK(recurrence<1, 1, 1, 0, 0, 0>(kept, state, rows<1>({1, 2}), rows<1>({3, 4}), rows<1>({5, 6}), absent, absent,
                                     bonus, std::int64_t{0})
            .values == std::vector<double>{150, 2 * (15 + 240)});
  CHECK(recurrence<2, 1, 1, 0, 0, 0>(kept, shared, rows<2>({1, 2}), rows<1>({3}), rows<2>({5, 6}), absent, absent,
                                     absent, std::int64_t{0})
            .values == std::vector<double>{15, 36});
  CHECK(recurrence<1, 1, 2, 0, 0, 0>(kept, alone, absent, absent, rows<2>({5, 6, 7, 8}), absent, absent, absent,
                                     std::int64_t{0})
            .values == std::vector<double>{5, 6, 12, 14});
}

TEST_CASE("what is added may be made smaller by what the decay leaves room for, but for a sequence's first token") {
  RecurrentState state;
  const auto step = [&](std::vector<double> v, std::int64_t first) {
    return recurrence<1, 1, 1, 0, 0, 1, 1, 0, 0>([](double, double x) { return std::log(x); }, state, absent, absent,
                                                 rows<1>(std::move(v)), absent, absent, absent,
                                                 std::vector<double>{0.6}, first)
        .values;
  };
  const std::vector<double> two = step({5, 10}, 0), third = step({0}, 2);
  CHECK(two[0] == 5);
  CHECK(two[1] == doctest::Approx(0.6 * 5 + 0.8 * 10));
  CHECK(third[0] == doctest::Approx(0.6 * (0.6 * 5 + 0.8 * 10)));
}
