#include "generator/blocks/layer_number.hpp"

namespace monomorph::generator {

std::optional<Expression> layer_expression(const Field<std::string>& field, const BlockContext& context,
                                           Diagnostics& diagnostics) {
  ExpressionNames names = {{"layer", {Type::integer}}};
  names.merge(spec_numbers(context));
  return parse_expression(field.value, field.span, names, Type::real, diagnostics);
}

bool names_layer(const Expression& expression) { return names_in(expression).contains("layer"); }

double value_in(const Expression& expression, std::int64_t layer) {
  return evaluate(expression, {{"layer", static_cast<double>(layer)}});
}

std::vector<std::int64_t> layers_of(const BlockContext& context) {
  const Spec& spec = *context.spec;
  std::vector<std::int64_t> layers;
  for (std::size_t layer = 0; layer < spec.layer_kinds.size(); ++layer) {
    if (spec.kinds[spec.layer_kinds[layer]].identifier == context.kind.identifier) {
      layers.push_back(static_cast<std::int64_t>(layer));
    }
  }
  return layers;
}

}  // namespace monomorph::generator
