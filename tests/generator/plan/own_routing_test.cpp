// A mixture of anything: a type of sub-block that the generator does not have, whose router chooses matrices for what
// attention gives, as somebody would write one. No operation, kernel or rule of ours knows what is routed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "generator/blocks/attention.hpp"
#include "generator/blocks/mlp.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/graph/builder.hpp"
#include "generator/plan/make.hpp"
#include "generator/spec/field_rows.hpp"
#include "tests/generator/plan/agreement.hpp"
#include "tests/generator/spec/spec_text.hpp"

namespace monomorph::generator {

struct RoutedSection {
  Field<std::int64_t> heads, head_dim;
  Field<std::int64_t> outputs, outputs_per_tok;  ///< matrices that there are, and that each token has
};

template <>
const std::vector<FieldRow<RoutedSection>>& fields() {
  using S = RoutedSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("heads", at(&S::heads), required(), "heads", "Heads"),
      row<S>("head_dim", at(&S::head_dim), required(), "elements", "Width of a head"),
      row<S>("outputs", at(&S::outputs), required(), "matrices", "Matrices of which each token has some"),
      row<S>("outputs_per_tok", at(&S::outputs_per_tok), required(), "matrices", "Those that each token has"),
  };
  return rows;
}

namespace {

const RoutedSection& own(const BlockContext& context) { return section_of<RoutedSection>(context.block); }

void check(const BlockContext&, Diagnostics&) {}

void declare(const BlockContext& context, Declarations& declare) {
  const RoutedSection& routed = own(context);
  const Span& place = routed.heads.span;
  const AxisId kv_heads = declare.axis("kv_heads", routed.heads.value, place);
  const AxisId group = declare.axis("kv_group", 1, place);
  const AxisId heads = declare.axis("heads", routed.heads.value, place, {kv_heads, group});
  const AxisId head = declare.axis("head", routed.head_dim.value, place);
  const std::int64_t width = routed.heads.value * routed.head_dim.value;
  const AxisId q = declare.axis("q", width, place, {heads, head}),
               kv = declare.axis("kv", width, place, {kv_heads, head});
  const AxisId hidden = declare.hidden();
  declare.projections("input", {}, {{"q", q, hidden}, {"k", kv, hidden}, {"v", kv, hidden}});
  declare.state("keys", kv_heads, head, Dtype::f32, {});
  declare.state("values", kv_heads, head, Dtype::f32, {});
  const AxisId outputs = declare.axis("outputs", routed.outputs.value, place);
  const AxisId choices = declare.axis("choices", routed.outputs_per_tok.value, place);
  const std::int64_t size = declare.contract().axes[hidden].size;
  const AxisId banks = declare.axis("output_rows", routed.outputs.value * size, place, {outputs, hidden});
  const AxisId chosen = declare.axis("chosen_rows", routed.outputs_per_tok.value * size, place, {choices, hidden});
  declare.matrix("router", outputs, hidden);
  declare.projections("attended", {}, {{.word = "o", .rows = banks, .columns = q, .given = chosen}});
}

/// The sum of sigmoid(score) * o[choice] x attention(x), over the outputs of the largest scores.
ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  AttentionOperands operands;
  operands.queries = build.projection("q", in, "queries");
  operands.keys = build.append("keys", build.projection("k", in, "key"));
  operands.values = build.append("values", build.projection("v", in, "value"));
  const ValueId attended = build.attention({.scale = 0.5}, operands, "attended");
  const ValueId scores = build.matrix("router", in, "scores");
  const AxisId choices = build.axis("choices", own(context).outputs_per_tok.value);
  const ValueId choice = build.top_k("choose", {}, scores, "", choices, "choice");
  static const Expression sigmoid = known_expression("sigmoid(x)", {"x"});
  const ValueId weights = build.map("", sigmoid, {"x"}, {build.pick("pick", {}, scores, choice, "picked")}, "weights");
  return build.combine("combine", build.chosen_projection("o", {attended, choice}, "given"), weights, "projected");
}

BlockType routed_block() {
  return {.name = "routed",
          .meaning = "Attention whose output matrices a router chooses.",
          .parts = {"q", "k", "v", "router", "o"},
          .make = make_section<RoutedSection>,
          .bind = bind_section<RoutedSection>,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace

const std::vector<BlockType>& block_types() {
  static const std::vector<BlockType> types = {attention_block(), mlp_block(), routed_block()};
  return types;
}

}  // namespace monomorph::generator

using namespace monomorph::generator;
using namespace monomorph::test;

namespace {

RandomGraph routed(const std::string& fusion) {
  std::vector<Override> overrides = {{"model.hidden_size", "24"},
                                     {"model.max_position_embeddings", "12"},
                                     {"model.num_hidden_layers", "2"},
                                     {"mlp.intermediate_size", "20"},
                                     {"layers.steps", "[\"attention\", \"routed\", \"mlp\"]"},
                                     {"routed.heads", "3"},
                                     {"routed.head_dim", "6"},
                                     {"routed.outputs", "5"},
                                     {"routed.outputs_per_tok", "2"},
                                     {"routed.input_norm", "false"},
                                     {"checkpoint.dtype", "f32"},
                                     {"engine.kv_cache", "f32"},
                                     {"engine.prefill_chunk", "5"},
                                     {"engine.fusion", fusion}};
  for (const char* part : {"q", "k", "v", "router"}) {
    const std::string name = std::string("layers.{i}.routed.") + part;
    overrides.push_back({"checkpoint.tensors.\"" + name + "\"", name});
  }
  overrides.push_back({"checkpoint.tensors.\"layers.{i}.routed.o\"", "layers.{i}.outputs.{j}"});
  const testing::Judged judged = testing::judge(testing::tiny, overrides);
  REQUIRE_MESSAGE(judged.contract, render(judged.diagnostics));
  return {*judged.contract, build_graph(*judged.contract)};
}

}  // namespace

TEST_CASE("a router of one's own chooses what an attention's heads are multiplied with") {
  for (const std::string fusion : {"true", "false"}) {
    CAPTURE(fusion);
    const RandomGraph random = routed(fusion);
    const auto is_chosen = [](const Op& op) { return as<Linear>(op) != nullptr && op.in[3]; };
    CHECK(std::ranges::count_if(random.graph.ops, is_chosen) == 1);
    CHECK(agrees_on_host(random, make_plan(random.contract, random.graph)));
  }
}

// The last one: without a device the program ends here.
TEST_CASE("so it does on devices") {
  for (const std::string fusion : {"true", "false"}) {
    CAPTURE(fusion);
    const RandomGraph random = routed(fusion);
    const auto errors = errors_on_devices(random, make_plan(random.contract, random.graph));
    if (errors.empty()) std::exit(77);
    for (const auto& [device, error] : errors) {
      CAPTURE(device);
      CHECK(error <= 1e-4);
    }
  }
}
