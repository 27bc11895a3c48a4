#include "generator/blocks/projection.hpp"

#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<ProjectionSection>>& fields() {
  using S = ProjectionSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Projections with a bias: true, false, or a list out of \"o\""),
  };
  return rows;
}

namespace {

const ProjectionSection& own(const BlockContext& context) { return section_of<ProjectionSection>(context.block); }

void check(const BlockContext& context, Diagnostics& diagnostics) {
  check_bias_projections(own(context).bias, "projection", {"o"}, diagnostics);
}

void declare(const BlockContext& context, Declarations& declare) {
  const AxisId hidden = declare.hidden(), input = declare.input();
  declare.projections("input", own(context).bias, {{"o", hidden, input}});
}

ValueId build(const BlockContext&, Builder& build, ValueId in) { return build.projection("o", in, "projected"); }

}  // namespace

BlockType projection_block() {
  return {.name = "projection",
          .meaning = "A matrix and nothing else, as Zamba2 has one behind its shared MLP.",
          .parts = {"o"},
          .make = make_section<ProjectionSection>,
          .bind = bind_section<ProjectionSection>,
          .check = check,
          .declare = declare,
          .build = build,
          .takes_embedding = true};
}

}  // namespace monomorph::generator
