// Numbers that may differ from layer to layer: a key's expression of the spec's own numbers and `layer`, the layer's
// number from 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

/// What the key says; nothing where it is wrong.
std::optional<Expression> layer_expression(const Field<std::string>& field, const BlockContext& context,
                                           Diagnostics& diagnostics);
bool names_layer(const Expression& expression);
double value_in(const Expression& expression, std::int64_t layer);
/// The layers of the context's kind, where rules are checked.
std::vector<std::int64_t> layers_of(const BlockContext& context);

}  // namespace monomorph::generator
