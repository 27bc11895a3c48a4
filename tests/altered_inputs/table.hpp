// table.md: a line for each model, who notices how many of its alterations, and what nobody notices.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/altered_inputs/model.hpp"

namespace monomorph::tests {

/// By Fate.
inline constexpr std::array fate_names = {"contract", "tensors", "comparison", "same",
                                          "use",      "inert",   "goldens",    "unseen"};

/// What became of an alteration.
struct Outcome {
  std::string key;  ///< "rope_parameters.rope_theta"
  std::string what;
  Fate fate;
};

/// The alterations of one config.json or spec.
struct TableLine {
  std::string name;
  std::vector<Outcome> outcomes;

  std::string text() const;
};

/// The whole file.
std::string table_of(const std::vector<TableLine>& configs, const std::vector<TableLine>& specs);

}  // namespace monomorph::tests
