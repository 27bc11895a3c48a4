// A type of sub-block that the generator does not have, as somebody would write one: this program's list of types has
// it. It shows what a type may be made of and none of ours is: a norm as a field of a section, over an axis of its own,
// and a vector.
#include <doctest/doctest.h>

#include <algorithm>

#include "generator/blocks/attention.hpp"
#include "generator/blocks/mlp.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/plan/plan.hpp"
#include "generator/spec/field_rows.hpp"
#include "tests/generator/spec/spec_text.hpp"

namespace monomorph::generator {

struct NarrowSection {
  Field<std::int64_t> narrow_size;
  Field<NormChoice> inner_norm;  ///< of what down gives
};

template <>
const std::vector<FieldRow<NarrowSection>>& fields() {
  using S = NarrowSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("narrow_size", at(&S::narrow_size), required(), "elements", "Width inside"),
      row<S>("inner_norm", at(&S::inner_norm), literal("true"), "", "Normalise what down gives"),
  };
  return rows;
}

namespace {

const NarrowSection& own(const BlockContext& context) { return section_of<NarrowSection>(context.block); }

void check(const BlockContext&, Diagnostics&) {}

/// up(gain * inner_norm(down(x)))
void declare(const BlockContext& context, Declarations& declare) {
  const Field<std::int64_t>& size = own(context).narrow_size;
  const AxisId hidden = declare.hidden(), narrow = declare.axis("narrow", sane(size), size.span);
  declare.projections("input", {}, {{"down", narrow, hidden}});
  const NormChoice& norm = own(context).inner_norm.value;
  if (norm.present) declare_norm("inner_norm", norm.norm, narrow, declare);
  declare.vector("gain", narrow);
  declare.projections("scaled", {}, {{"up", hidden, narrow}});
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  ValueId narrow = build.projection("down", in, "narrow");
  const Field<NormChoice>& norm = own(context).inner_norm;
  if (norm.value.present) narrow = build_norm("inner_norm", norm, context.block, build, narrow, "normed");
  CHECK_THROWS_WITH_AS(build.vector("loss"), "graph: the contract has no vector narrow::loss", InternalError);
  CHECK_THROWS_WITH_AS(build.vector("up_proj"), "graph: the contract has no vector narrow::up_proj", InternalError);
  static const Expression product = known_expression("x * gain", {"x", "gain"});
  return build.projection("up", build.map("", product, {"x", "gain"}, {narrow, build.vector("gain")}, "scaled"),
                          "projected");
}

BlockType narrow_block() {
  return {.name = "narrow",
          .meaning = "A bottleneck with a norm and a gain.",
          .parts = {"down", "inner_norm", "gain", "up"},
          .make = make_section<NarrowSection>,
          .bind = bind_section<NarrowSection>,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace

const std::vector<BlockType>& block_types() {
  static const std::vector<BlockType> types = {attention_block(), mlp_block(), narrow_block()};
  return types;
}

}  // namespace monomorph::generator

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

const std::vector<Override> narrow = [] {
  std::vector<Override> all = {{"layers.steps", "[\"attention\", \"narrow\", \"mlp\"]"},
                               {"narrow.narrow_size", "12"},
                               {"narrow.input_norm", "false"}};
  for (const char* part : {"down", "inner_norm", "gain", "up"}) {
    const std::string name = std::string("layers.{i}.narrow.") + part;
    all.push_back({"checkpoint.tensors.\"" + name + "\"", name});
  }
  return all;
}();

std::vector<Override> with(const std::vector<Override>& more) {
  std::vector<Override> all = narrow;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Of the norm inside: the operation, and "role: axis" of every weight that it has.
struct Inner {
  Norm norm;
  std::string over;
  std::vector<std::string> weights;
};

Inner inner_of(const std::vector<Override>& overrides, std::size_t kind = 0) {
  const Judged judged = judge(tiny, overrides);
  REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
  const Graph graph = build_graph(*judged.contract);
  make_plan(*judged.contract, graph);
  Inner inner;
  for (const OpId id : graph.functions[graph.layers[kind]].ops) {
    const Op& op = graph.ops[id];
    if (graph.values[op.out].role != "narrow::normed") continue;
    inner.norm = std::get<Norm>(op.what);
    inner.over = graph.axes[inner.norm.over].name;
  }
  for (const WeightContract& weight : judged.contract->weights) {
    if (weight.scope.kind != kind || !weight.role.starts_with("narrow::inner_norm")) continue;
    inner.weights.push_back(weight.role + ": " + judged.contract->axes.shape(weight.axes));
  }
  return inner;
}

using Roles = std::vector<std::string>;

}  // namespace

TEST_CASE("a norm that is a field of a section is that of [norm], over the axis that it normalises") {
  const Inner inner = inner_of(narrow);
  CHECK(inner.norm.type == NormType::rms_norm);
  CHECK(inner.norm.eps == 1e-6);
  CHECK(inner.over == "narrow");
  CHECK(inner.weights == Roles{"narrow::inner_norm: narrow"});
}

TEST_CASE("a norm that is a field of a section has keys of its own, over those of its kind of layer") {
  const Inner inner = inner_of(with({{"narrow.inner_norm", "{ type = \"layer_norm\", eps = 1e-3 }"}}));
  CHECK(inner.norm.type == NormType::layer_norm);
  CHECK(inner.norm.eps == 1e-3);
  CHECK(inner.weights == Roles{"narrow::inner_norm: narrow", "narrow::inner_norm_bias: narrow"});
  CHECK(inner_of(with({{"narrow.inner_norm", "{ type = \"scale_norm\" }"}})).weights ==
        Roles{"narrow::inner_norm: one"});
  const std::vector<Override> kinds = with(
      {{"layers.pattern", "[\"a\", \"b\"]"}, {"layers.a.position.rope_theta", "5.0"}, {"layers.b.norm.eps", "1e-4"}});
  CHECK(inner_of(kinds, 0).norm.eps == 1e-6);
  REQUIRE(judge(tiny, kinds).contract->kinds.size() == 2);
  CHECK(inner_of(kinds, 1).norm.eps == 1e-4);
}

TEST_CASE("the keys of a norm that is a field of a section are judged") {
  const auto first_error = [](const char* norm) {
    const Judged judged = judge(tiny, with({{"narrow.inner_norm", norm}}));
    CHECK_FALSE(judged.contract);
    return judged.diagnostics.all().front().rule + ": " + judged.diagnostics.all().front().message;
  };
  CHECK(first_error("{ eps = 3.0 }") ==
        "norm.eps_range: narrow.inner_norm.eps is 3; 1e-12 to 0.1 is valid, and 1e-05 or 1e-06 usual");
  CHECK(first_error("{ epz = 1e-5 }").starts_with("spec.unknown_key: "));
}
