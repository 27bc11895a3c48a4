#include "generator/blocks/moe.hpp"

#include <fmt/format.h>

#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<MoeSection>>& fields() {
  using S = MoeSection;
  static const std::vector<FieldRow<S>> rows = [] {
    std::vector<FieldRow<S>> result = router_rows<S>();
    for (FieldRow<S>& row : unit_rows<S>("")) result.push_back(std::move(row));
    return result;
  }();
  return rows;
}

namespace {

const MoeSection& own(const BlockContext& context) { return section_of<MoeSection>(context.block); }

void complete(Block& block, LayerKind&, const ModelSection&) {
  complete_router(*std::any_cast<MoeSection>(&block.section));
}

/// What multiplies an input multiplies what a matrix makes of it, but no bias beside.
void inputs_are_weighed(const BlockContext& context, Diagnostics& diagnostics) {
  const MoeSection& moe = own(context);
  if (!moe.weighs_input()) return;
  for (const char* word : {"gate", "up"}) {
    if (!moe.bias.value.has(word)) continue;
    diagnostics.error(
        "moe.weighed_bias", moe.bias.span,
        fmt::format("{0}.bias gives {1} a bias, which does not run where {0}.weigh is \"input\"; {0}.bias = [\"down\"] "
                    "or false is valid",
                    context.block.type->name, word));
    return;
  }
}

void check(const BlockContext& context, Diagnostics& diagnostics) {
  check_router(context, own(context), diagnostics);
  check_unit(context, own(context), {}, diagnostics);
  inputs_are_weighed(context, diagnostics);
}

void advise(const BlockContext& context, const EngineSection&, Diagnostics& diagnostics) {
  const MoeSection& moe = own(context);
  advise_multiple("intermediate_size", moe.intermediate_size.value, moe.intermediate_size.span, diagnostics);
}

/// Rows of a bank for each expert, and of each expert that a token has.
struct Banks {
  AxisId all, chosen;
};

Banks declare_banks(const MoeSection& moe, const std::string& word, AxisId rows, Declarations& declare) {
  const AxisTable& axes = declare.contract().axes;
  const RouterAxes router = declare_router_axes(moe, declare);
  const std::int64_t size = axes[rows].size;
  const Span field = declare.field_of(rows);
  return {declare.axis("experts_" + word, axes[router.experts].size * size, field, {router.experts, rows}),
          declare.axis("chosen_" + word, axes[router.choices].size * size, field, {router.choices, rows})};
}

void declare(const BlockContext& context, Declarations& declare) {
  const MoeSection& moe = own(context);
  declare_router(moe, declare);
  const AxisId hidden = declare.hidden();
  const AxisId intermediate =
      declare.axis("expert_intermediate", sane(moe.intermediate_size), moe.intermediate_size.span);
  const Banks inner = declare_banks(moe, "intermediate", intermediate, declare);
  const Banks outer = declare_banks(moe, "hidden", hidden, declare);
  std::vector<Projection> inputs;
  if (moe.gated()) inputs.push_back({.word = "gate", .rows = inner.all, .columns = hidden, .given = inner.chosen});
  inputs.push_back({.word = "up", .rows = inner.all, .columns = hidden, .given = inner.chosen});
  declare.projections("input", moe.bias, inputs);
  declare.projections("activated", moe.bias,
                      {{.word = "down", .rows = outer.all, .columns = intermediate, .given = outer.chosen}});
}

/// The unit's expression of `names`, where these are what is made of an input that `weight` has not multiplied yet.
Expression weighed(const BlockContext& context, const Expression& unit, const std::vector<std::string>& names) {
  std::string text = unit.text;
  for (const std::string& name : names) text = rename_in_expression(text, name, "(weight * " + name + ")");
  ExpressionNames all = variables(names);
  all.merge(variables({"weight"}));
  all.merge(spec_numbers(context));
  Diagnostics none;
  return parse_expression(text, {}, all, Type::real, none).value();
}

ValueId build(const BlockContext& context, Builder& build, ValueId in) {
  const MoeSection& moe = own(context);
  const auto [choice, weights] = build_router(moe, build, in);
  const BankOperands of_all{in, choice};
  std::vector<ValueId> parts;
  std::vector<std::string> names = {"x"};
  if (moe.gated()) {
    parts.push_back(build.chosen_projection("gate", of_all, "gate"));
    names = {"gate", "up"};
  }
  parts.push_back(build.chosen_projection("up", of_all, "up"));
  Diagnostics none;
  Expression unit = unit_expression(context, moe, {}, none).value();
  if (moe.weighs_input()) {
    unit = weighed(context, unit, names);
    names.emplace_back("weight");
    parts.push_back(weights);
  }
  const ValueId activated = build.map("", unit, names, parts, "activated");
  const ValueId given = build.chosen_projection("down", {activated, choice, true}, "given");
  return build.combine("combine", given, moe.weighs_input() ? ValueId{} : weights, "projected");
}

}  // namespace

BlockType moe_block() {
  return {.name = "moe",
          .meaning = "A mixture of experts: MLPs of which a router chooses some for each token.",
          .parts = {"router", "selection_bias", "gate", "up", "down"},
          .make = make_section<MoeSection>,
          .bind = bind_section<MoeSection>,
          .complete = complete,
          .check = check,
          .advise = advise,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
