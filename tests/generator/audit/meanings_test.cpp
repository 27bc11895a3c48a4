// Two models mean the same where they compute the same: whatever is changed of a graph is seen.
#include "generator/audit/meanings.hpp"

#include <doctest/doctest.h>

#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph;
using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

/// Whether the change of the first operation of this type is seen.
template <class T, class Change>
bool is_seen(const Meaning& meaning, const Change& change) {
  Meaning changed = meaning;
  for (Op& op : changed.graph.ops) {
    if (auto* attributes = std::get_if<T>(&op.what)) {
      change(*attributes);
      return same(meaning, meaning) && !same(meaning, changed);
    }
  }
  FAIL("no such operation");
  return false;
}

Expression other_expression() {
  Diagnostics none;
  return *parse_expression("1.25", {}, {}, Type::real, none);
}

Meaning meaning_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  const Judged judged = judge(text, overrides);
  INFO(render(judged.diagnostics));
  REQUIRE(judged.contract);
  return {*judged.contract, build_graph(*judged.contract)};
}

}  // namespace

// Attributes are taken apart by name: one that is added does not compile here until it is changed as well.
TEST_CASE("a change of any attribute of any operation is another meaning") {
  const Meaning meaning = meaning_of(tiny);
  static_assert(std::variant_size_v<Attributes> == 18 && std::is_empty_v<Concat> && std::is_empty_v<Append> &&
                std::is_empty_v<Combine> && std::is_empty_v<Differential> && std::is_empty_v<Pool> &&
                std::is_empty_v<Convolve>);
  CHECK(is_seen<Linear>(meaning, [](Linear& linear) {
    auto& [segments] = linear;
    segments = true;
  }));
  for (int nth = 0; nth < 3; ++nth) {
    CAPTURE(nth);
    TopK top;
    auto& [groups, groups_kept, group_score] = top;
    if (nth == 0) groups = 2;
    if (nth == 1) groups_kept = 2;
    if (nth == 2) group_score = GroupScore::top2_sum;
    CHECK(top != TopK{});
    Shares shares;
    auto& [type, eps, floor] = shares;
    if (nth == 0) type = ShareType::sum;
    if (nth == 1) eps = 1;
    if (nth == 2) floor = 1;
    CHECK(shares != Shares{});
  }
  CHECK(is_seen<Gather>(meaning, [](Gather& gather) {
    auto& [offset] = gather;
    offset += 1;
  }));
  for (int nth = 0; nth < 5; ++nth) {
    CAPTURE(nth);
    Recurrence recurrence;
    auto& [log_decay, names, removed_first, erased_beside, normalized] = recurrence;
    if (nth == 0) log_decay = other_expression();
    if (nth == 1) names = {"a"};
    if (nth == 2) removed_first = true;
    if (nth == 3) erased_beside = true;
    if (nth == 4) normalized = true;
    CHECK(recurrence != Recurrence{});
  }
  WeightedMean mean;
  auto& [log_decay] = mean;
  log_decay = other_expression();
  CHECK(mean != WeightedMean{});
  Pick pick;
  auto& [jitter] = pick;
  jitter = 0.0;
  CHECK(pick != Pick{});
  Sinusoids sinusoids;
  auto& [layout_of_sines] = sinusoids;
  layout_of_sines = RotaryLayout::interleaved;
  CHECK(sinusoids != Sinusoids{});
  for (int nth = 0; nth < 4; ++nth) {
    CAPTURE(nth);
    CHECK(is_seen<Norm>(meaning, [&](Norm& norm) {
      auto& [type, eps, over, weight_offset] = norm;
      if (nth == 0) type = NormType::layer_norm;
      if (nth == 1) eps *= 1 + 1e-15;
      if (nth == 2) over = {over.index + 1};
      if (nth == 3) weight_offset = 1;
    }));
  }
  for (int nth = 0; nth < 2; ++nth) {
    CAPTURE(nth);
    CHECK(is_seen<Map>(meaning, [&](Map& map) {
      auto& [expression, names] = map;
      if (nth == 0) expression = other_expression();
      if (nth == 1) names[0] += "s";
    }));
  }
  for (int nth = 0; nth < 2; ++nth) {
    CAPTURE(nth);
    CHECK(is_seen<Rotary>(meaning, [&](Rotary& rotary) {
      auto& [rotary_dim, layout] = rotary;
      if (nth == 0) rotary_dim += 2;
      if (nth == 1) layout = RotaryLayout::interleaved;
    }));
  }
  for (int nth = 0; nth < 11; ++nth) {
    CAPTURE(nth);
    CHECK(is_seen<Attention>(meaning, [&](Attention& attention) {
      auto& [scale, causal, score, mask, slopes, recent, first, distances, of_source] = attention;
      auto& [back, ahead, buckets] = distances;
      if (nth == 0) scale *= 1 + 1e-15;
      if (nth == 1) score = other_expression();
      if (nth == 2) mask = other_expression();
      if (nth == 3) slopes = {1};
      if (nth == 4) recent += 1;
      if (nth == 5) first += 1;
      if (nth == 6) causal = !causal;
      if (nth == 7) back += 1;
      if (nth == 8) ahead += 1;
      if (nth == 9) buckets = {0};
      if (nth == 10) of_source = !of_source;
    }));
  }
}

TEST_CASE("a change of what operations read, write and are made for is another meaning") {
  const Meaning meaning = meaning_of(tiny);
  const auto changed = [&](const auto& change) {
    Meaning other = meaning;
    change(other);
    return !same(meaning, other);
  };
  CHECK_FALSE(changed([](Meaning&) {}));
  CHECK(changed([](Meaning& m) { m.graph.ops[{1}].in[0] = m.graph.ops[{2}].out; }));
  CHECK(changed([](Meaning& m) { m.graph.ops[{1}].what = Gather{}; }));
  CHECK(changed([](Meaning& m) { m.graph.values[{0}].role += "s"; }));
  CHECK(changed([](Meaning& m) { m.graph.values[{0}].list = HostList::positions; }));
  CHECK(changed([](Meaning& m) { m.graph.axes[{0}].size += 1; }));
  CHECK(changed([](Meaning& m) { m.graph.functions[m.graph.head].results.clear(); }));
  CHECK(changed([](Meaning& m) { m.contract.angles[{0}].rotary.frequencies[0] *= 1.0000001f; }));
  CHECK(changed([](Meaning& m) { m.contract.angles[{0}].rotary.factor = 1.5f; }));
  CHECK(changed([](Meaning& m) { m.contract.states[{0}].window.recent += 1; }));
  CHECK(changed([](Meaning& m) { m.contract.own().repeat = 2; }));
}

TEST_CASE("scales that differ in one layer are another meaning, and others' words for them are not") {
  const auto scaled = [](const std::string& scale) { return meaning_of(tiny, {{"attention.scale", scale}}); };
  const Meaning by_layer = scaled("1 / (layer + 1)");
  CHECK(same(by_layer, scaled("2 / (2 * layer + 2)")));
  CHECK_FALSE(same(by_layer, scaled("layer == 3 ? 0.2 : 1 / (layer + 1)")));
  CHECK_FALSE(same(scaled("1"), scaled("layer > 3 ? 2 : 1")));
}

TEST_CASE("layers in another order, and constants by another name, are another meaning") {
  const std::string kinds =
      tiny + "[layers]\npattern = [\"a\", \"b\"]\n[layers.a]\n[layers.b.mlp]\nactivation = \"relu\"\n";
  const Meaning in_turn = meaning_of(kinds);
  CHECK_FALSE(same(in_turn, meaning_of(kinds, {{"layers.pattern", "[\"a\", \"a\", \"b\", \"b\"]"}})));
  CHECK(same(in_turn, meaning_of(kinds, {{"layers.pattern", "[\"a\", \"b\", \"a\", \"b\"]"}})));

  const std::vector<Override> scaled = {{"attention.score", "\"score * max_position_embeddings / 64\""},
                                        {"engine.max_sequence_length", "32"}};
  std::vector<Override> longer = scaled;
  longer.push_back({"model.max_position_embeddings", "128"});
  CHECK(same(meaning_of(tiny, scaled), meaning_of(tiny, scaled)));
  CHECK_FALSE(same(meaning_of(tiny, scaled), meaning_of(tiny, longer)));
}
