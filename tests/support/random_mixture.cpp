#include "tests/support/random_mixture.hpp"

#include <algorithm>

namespace monomorph::test {

AxisId RandomMixture::product(const std::string& word, AxisId outer, AxisId inner) {
  const std::int64_t size = contract_.axes[outer].size * contract_.axes[inner].size;
  const AxisId id = axis(word, size, {outer, inner});
  graph_.axes = contract_.axes;
  return id;
}

ValueId RandomMixture::passed(ValueId value) {
  if (chance(20)) known_.push_back({value, true});
  return value;
}

RandomMixture::Chosen RandomMixture::choose(Builder& build, const std::string& name, std::size_t from, AxisId banks,
                                            std::int64_t groups) {
  const std::int64_t of_a_group = contract_.axes[banks].size / groups, kept = between(1, groups);
  TopK how{groups, kept, of_a_group > 1 && chance(50) ? GroupScore::top2_sum : GroupScore::max};
  const AxisId choices = axis(name + "_choices", between(1, std::min<std::int64_t>(3, kept * of_a_group)));
  graph_.axes = contract_.axes;
  linear(build, from, banks, format());
  ValueId scores = read(known_.back());
  const bool squashed = chance(50), before = !squashed && chance(50);
  if (squashed) {
    scores = passed(build.map("squash", known_expression("sigmoid(a)", {"a"}), {"a"}, {scores}, new_role()));
  }
  if (before) scores = passed(build.shares("softmax", {}, scores, new_role()));
  const bool biased = chance(40);
  if (biased) weight(scope_, name + "_selection_bias", {banks}, Dtype::f32);
  const ValueId choice =
      passed(build.top_k("choose", how, scores, biased ? name + "_selection_bias" : "", choices, new_role()));
  const bool mixed = chance(25);
  const Pick pick{mixed ? std::optional(0.05 * between(1, 5)) : std::nullopt};
  ValueId weights = passed(build.pick("pick", pick, scores, choice, new_role()));
  if (chance(30)) {
    weights = passed(build.map("", known_expression("2.5 * a", {"a"}), {"a"}, {weights}, new_role()));
  }
  // Of numbers that may cancel each other there is no sum to have shares of.
  const Shares sum{ShareType::sum, chance(50) ? 0.25 : 0, chance(50) ? 0.75 : 0};
  if (chance(70)) weights = build.shares("share", squashed || before || mixed ? sum : Shares{}, weights, new_role());
  return {choice, passed(weights)};
}

ValueId RandomMixture::banks_times(Builder& build, const std::string& word, AxisId banks, AxisId rows, AxisId columns,
                                   AxisId choices, const BankOperands& operands) {
  const AxisId of_banks = product(word + "_banks", banks, rows);
  const AxisId to = choices == banks ? of_banks : product(word + "_chosen", choices, rows);
  const bool biased = chance(40);
  weight(scope_, word, {of_banks, columns}, format());
  if (biased) weight(scope_, word + "_bias", {of_banks}, Dtype::f32);
  return build.linear_of_banks(word, word, biased ? word + "_bias" : "", operands, to, new_role());
}

void RandomMixture::mix(Builder& build, std::size_t from, AxisId to) {
  const std::string name = "mix" + std::to_string(++count_);
  const std::int64_t groups = pick(std::vector<std::int64_t>{1, 1, 2, 3});
  const AxisId banks = axis(name + "_banks", groups * between(2, 4)), inner = axis(name + "_inner", between(2, 7));
  graph_.axes = contract_.axes;
  const auto [choice, weights] = choose(build, name, chance(60) ? from : some(), banks, groups);
  const AxisId choices = graph_.values[choice].axes[1], columns = axis_of(known_[from]);
  const BankOperands in{read(known_[from]), choice};
  ValueId left = weights;  // for the sum
  ValueId given = passed(banks_times(build, name + "_up", banks, inner, columns, choices, in));
  if (chance(60)) {  // a gate of the same rows, of the same format or another
    const AxisId rows = graph_.values[given].axes[1];
    const AxisId of_banks = contract_.axes.intern({name + "_up_banks",
                                                   contract_.axes[banks].size * contract_.axes[inner].size,
                                                   {banks, inner},
                                                   Live::all,
                                                   {},
                                                   {}});
    weight(scope_, name + "_gate", {of_banks, columns}, format());
    const ValueId gate = build.linear_of_banks(name + "_gate", name + "_gate", "", in, rows, new_role());
    given = build.map("", known_expression("a * sigmoid(a) * b", {"a", "b"}), {"a", "b"}, {gate, given}, new_role());
  } else if (chance(50)) {  // a weight for each run
    given = build.map("", known_expression("a * b", {"a", "b"}), {"a", "b"}, {given, weights}, new_role());
    if (chance(50)) left = {};
  }
  const ValueId down =
      passed(banks_times(build, name + "_down", banks, to, inner, choices, {passed(given), choice, true}));
  know(build.combine("combine", down, left, new_role()));
}

void RandomMixture::by_head(Builder& build, std::size_t from) {
  const std::string name = "heads" + std::to_string(++count_);
  const std::vector<AxisId> factors = contract_.axes[q_].factors;
  const AxisId rows = axis(name + "_rows", between(2, 6));
  graph_.axes = contract_.axes;
  know(banks_times(build, name, factors[0], rows, factors[1], factors[0], {read(known_[from]), {}, true}));
}

}  // namespace monomorph::test
