// A model as a spec, a config.json or both say it, its weights beside them, and what becomes of it when one of the two
// is altered.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generator/audit/meanings.hpp"
#include "tests/altered_inputs/alterations.hpp"

namespace monomorph::tests {

/// What notices an alteration, the first of these that does.
enum class Fate {
  contract,    ///< import, the reader or a rule refuses it
  tensors,     ///< the weights have other tensors than it asks for
  comparison,  ///< the unaltered spec is not what the altered config.json says, or the other way round
  same,        ///< nothing: the same operations with the same numbers on the same rows of the same tensors
  use,         ///< nothing: that is the same too, and the model's name, ids of tokens or capacities are not
  inert,       ///< nothing: another model is accepted, whose logits are the golden's all the same
  goldens,     ///< another model is accepted, and its golden refuses the logits
  unseen,      ///< another model is accepted, and nothing tells
};

class Model {
 public:
  /// `weights`: a folder with the tensors and, where there is one, the config.json; it may be absent.
  Model(const std::shared_ptr<const generator::Source>& spec, std::filesystem::path weights);

  Fate alter_spec(const generator::Override& change);
  /// Only of a model whose spec was imported from the config.json among its weights.
  Fate alter_config(const nlohmann::ordered_json& config);

 private:
  struct Accepted {
    generator::Spec spec;
    generator::Contract contract;
    std::vector<generator::Override> changes;
  };
  static std::optional<Accepted> accept(const std::shared_ptr<const generator::Source>& source,
                                        std::vector<generator::Override> changes);
  /// Whether the audit of the weights finds nothing; where they are not here, whether it would ask the same of them.
  bool tensors_fit(const generator::Contract& contract) const;
  /// Whether the unaltered model has its golden's logits: what is refused is refused for the alteration.
  bool golden_is_met();
  /// Of a spec that rules and tensors let pass.
  Fate fate_of(const Accepted& changed);

  std::filesystem::path weights_;
  Accepted accepted_;
  generator::Meanings meanings_;
  std::string facts_;  ///< that an engine carries; worked out when first asked for
  bool has_tensors_ = false;
  bool has_golden_ = false;  ///< that can be evaluated: its weights are of f32
  std::optional<bool> golden_is_met_;
};

}  // namespace monomorph::tests
