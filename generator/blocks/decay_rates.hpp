// The rates at which states decay, learned numbers: a checkpoint has their logarithms, or what a GGUF file has, each
// rate with a minus. Nothing is computed at load, since a logarithm would be rounded.
#pragma once

#include <string>
#include <vector>

#include "generator/spec/block_type.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

/// The row of the key that says which of the two it has, as does the part: a_log or a.
template <class Section>
FieldRow<Section> decay_rates_row(Field<std::string> Section::* member) {
  return row<Section>(
      "decay_rates", at(member), literal("\"log\""), "",
      "What the checkpoint has of the rates at which states decay: their logarithms, the part a_log, or "
      "the rates with a minus before each, the part a, as GGUF files have them",
      {"log", "negative"});
}

std::string part_of_rates(const Field<std::string>& decay_rates);

/// The logarithm of what is left in steps, an expression of `names`: the rate times them, with a minus. It is of
/// `names` and of the part.
Expression log_of_decay(const Field<std::string>& decay_rates, const std::string& steps,
                        const std::vector<std::string>& names);

}  // namespace monomorph::generator
