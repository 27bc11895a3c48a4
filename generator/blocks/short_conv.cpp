#include "generator/blocks/short_conv.hpp"

#include "generator/blocks/convolution.hpp"
#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

template <>
const std::vector<FieldRow<ShortConvSection>>& fields() {
  using S = ShortConvSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>("conv_kernel", at(&S::conv_kernel), required(), "positions",
             "Positions that the convolution sees, the token's own among them"),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Parts with a bias: true, false, or a list out of \"b\", \"c\", \"x\", \"conv\", \"o\""),
  };
  return rows;
}

namespace {

const ShortConvSection& own(const BlockContext& context) { return section_of<ShortConvSection>(context.block); }

void check(const BlockContext& context, Diagnostics& diagnostics) {
  check_conv_kernel(own(context).conv_kernel, "short_conv.conv_kernel", diagnostics);
  check_bias_projections(own(context).bias, "short_conv", {"b", "c", "x", "conv", "o"}, diagnostics);
}

void declare(const BlockContext& context, Declarations& declare) {
  const ShortConvSection& conv = own(context);
  const Span& of_width = context.model.hidden_size.span;
  const AxisId hidden = declare.hidden();
  const std::int64_t width = declare.contract().axes[hidden].size;
  // A state has heads: this one has a single one.
  const AxisId head = declare.axis("conv_heads", 1, of_width), element = declare.axis("channel", width, of_width);
  const AxisId channels = declare.axis("channels", width, of_width, {head, element});
  declare.projections("input", conv.bias, {{"b", channels, hidden}, {"c", channels, hidden}, {"x", channels, hidden}});
  declare_convolutions({{"conv", channels}}, conv.conv_kernel, conv.bias, declare);
  declare.projections("convolved", conv.bias, {{"o", hidden, channels}});
}

ValueId build(const BlockContext&, Builder& build, ValueId in) {
  static const Expression product = known_expression("gate * x", {"gate", "x"});
  const ValueId b = build.projection("b", in, "b"), c = build.projection("c", in, "c"),
                x = build.projection("x", in, "x");
  const ValueId gated = build.map("", product, {"gate", "x"}, {b, x}, "inputs");
  const ValueId convolved = build_convolution("conv", build, gated, "convolved");
  return build.projection("o", build.map("", product, {"gate", "x"}, {c, convolved}, "gated"), "projected");
}

}  // namespace

BlockType short_conv_block() {
  return {.name = "short_conv",
          .meaning = "A gated convolution over the last few positions (LFM2).",
          .parts = {"b", "c", "x", "conv", "o"},
          .make = make_section<ShortConvSection>,
          .bind = bind_section<ShortConvSection>,
          .check = check,
          .declare = declare,
          .build = build};
}

}  // namespace monomorph::generator
