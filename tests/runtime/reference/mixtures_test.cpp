// Choices of the reference's mixtures: exact ties, margins, and choices that are made the other way.
#include <doctest/doctest.h>

#include <vector>

#include "runtime/reference/mixtures.hpp"

using namespace monomorph::reference;

namespace {

Activations<6> rows_of(const std::vector<double>& values) { return activations_of<6>(values); }

/// What is chosen while `choices` watches a pass of slot 1 that begins at position 10.
template <class Choose>
std::vector<double> watched(Choices& choices, const Choose& choose) {
  choices.begin_pass(1, 10, nullptr);
  const InPass in_pass(choices);
  return choose().values;
}

}  // namespace

TEST_CASE("of equal scores the first are chosen, and no margin is told of them") {
  const Activations<6> scores = rows_of({2, 3, 2, 3, 1, 3});
  Choices choices;
  const auto choose = [&] { return top_k<2, 1, 1>(scores); };
  CHECK(watched(choices, choose) == std::vector<double>{1, 3});
  CHECK(choices.margins.empty());
}

TEST_CASE("margins are those between neighbours up to the first that is not chosen, as shares of the largest score") {
  const Activations<6> scores = rows_of({0, 0, 0, 0, 0, 0, 1, -8, 3, 2, 2.5, 0});
  Choices choices;
  const auto choose = [&] { return top_k<2, 1, 1>(scores, {0, 0, 0, 0, 0, 0}); };
  CHECK(watched(choices, choose) == std::vector<double>{0, 1, 2, 4});
  REQUIRE(choices.margins.size() == 2);
  CHECK(choices.margins[0].of == Neighbours{1, 11, 0, 1});
  CHECK(choices.margins[0].margin == doctest::Approx(0.5 / 8));
  CHECK(choices.margins[1].of == Neighbours{1, 11, 0, 2});
  CHECK(choices.margins[1].margin == doctest::Approx(0.5 / 8));
  choices.turned = {{1, 11, 0, 2}};
  CHECK(watched(choices, choose) == std::vector<double>{0, 1, 2, 3});
  CHECK(choices.margins.size() == 2);
  // Another slot, position, or choice of the pass is another.
  for (const Neighbours& other : {Neighbours{0, 11, 0, 2}, Neighbours{1, 12, 0, 2}, Neighbours{1, 11, 1, 2}}) {
    choices.turned = {other};
    CHECK(watched(choices, choose) == std::vector<double>{0, 1, 2, 4});
  }
  const auto twice = [&] { return top_k<2, 1, 1>(scores), top_k<2, 1, 1>(scores); };
  choices.turned = {{1, 11, 1, 2}};
  CHECK(watched(choices, twice) == std::vector<double>{0, 1, 2, 3});
}

TEST_CASE("of groups the margin is between the last that competes and the first that does not") {
  const Activations<6> scores = rows_of({4, 0, 3, 2.5, 3, 1});  // groups worth 4, 5.5 and 4
  Choices choices;
  const auto choose = [&] { return top_k_by_two<2, 3, 2>(scores, {0, 0, 0, 0, 0, 0.5}); };
  CHECK(watched(choices, choose) == std::vector<double>{2, 4});  // the groups worth 5.5 and 4.5
  const auto of_groups = [](const Choices::Margin& each) { return each.of.place == 0; };
  REQUIRE(std::ranges::count_if(choices.margins, of_groups) == 1);
  CHECK(std::ranges::find_if(choices.margins, of_groups)->margin == doctest::Approx(0.5 / 4));
  choices.turned = {{1, 10, 0, 0}};
  CHECK(watched(choices, choose) == std::vector<double>{0, 2});
}
