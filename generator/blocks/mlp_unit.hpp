// What stands between the projections of an MLP, or of each of a bank of them: activation(gate) * up, or
// activation(up).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/spec/block_type.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

struct MlpUnit {
  Field<std::string> type;  ///< gated | plain
  Field<std::int64_t> intermediate_size;
  Field<std::string> activation;  ///< a name (silu, gelu, gelu_pytorch_tanh, gelu_new, relu ...) or an expression of x
  Field<double> gate_scale;       ///< gated: what gate is multiplied by before activation; default 1
  Field<std::string> combine;     ///< gated: an expression of gate and up; default activation(gate) * up
  Field<Biases> bias;             ///< of gate, up, down

  bool gated() const { return type.value != "plain"; }
  /// What says the expression.
  const Span& expression_span() const { return combine.given ? combine.span : activation.span; }
};

/// The rows of its fields; `learned`: what else an expression may name, ", ..." for people.
template <class S>
std::vector<FieldRow<S>> unit_rows(const std::string& learned) {
  return {
      row<S>("type", at(&S::type), required(), "", "down(activation(gate) * up), or down(activation(up))",
             {"gated", "plain"}),
      row<S>("intermediate_size", at(&S::intermediate_size), required(), "elements", "Width inside the MLP"),
      in_place_of(
          "combine",
          expression(row<S>("activation", at(&S::activation), computed("none; required unless combine is given"), "",
                            "A named activation, or an expression of x" + learned + " and the spec's own numbers"))),
      in_place_of("combine", row<S>("gate_scale", at(&S::gate_scale), literal("1.0"), "",
                                    "What gate gives is multiplied by it before the activation", {}, {"gated"})),
      in_place_of("activation", expression(row<S>("combine", at(&S::combine), computed("activation(gate) * up"), "",
                                                  "An expression of gate, up" + learned +
                                                      " and the spec's own numbers, in place of an activation",
                                                  {}, {"gated"}))),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Projections with a bias: true, false, or a list out of \"gate\", \"up\", \"down\""),
  };
}

/// The expression of x (plain), or of gate and up (gated), and of `learned` numbers, with named activations written
/// out; nothing where it is wrong.
std::optional<Expression> unit_expression(const BlockContext& context, const MlpUnit& unit,
                                          const std::vector<std::string>& learned, Diagnostics& diagnostics);

/// The rules on its own numbers.
void check_unit(const BlockContext& context, const MlpUnit& unit, const std::vector<std::string>& learned,
                Diagnostics& diagnostics);

}  // namespace monomorph::generator
