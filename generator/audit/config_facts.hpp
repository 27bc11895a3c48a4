// What a config.json beside a spec's weights has to say: the facts that an engine carries, and `check --weights`
// compares with. runtime/formats/config_facts.hpp tells their form and judges.
//
// A fact is a field of the spec, the expression by which a family of the hub has it from config.json, and the values
// that mean what the spec says. Whether a value means the same is asked of the graph: with it in the field's place, the
// same operations have to come out. So a default that is written out, another name of an activation, or an expression
// in a number's place is no difference.
#pragma once

#include <string>
#include <vector>

#include "generator/audit/meanings.hpp"
#include "generator/contract/contract.hpp"
#include "generator/import/family.hpp"
#include "generator/spec/spec.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph::generator {

/// The facts of an accepted spec as this family has them, those among them that none of its config.json can state.
/// `meanings`, here and below: of the spec as it was accepted.
Json config_facts(const Spec& spec, Meanings& meanings, const Family& family);

/// Those of every family that can have a config.json for the spec and names its tensors as the spec does, a fact a
/// line: the text that an engine carries.
std::string config_facts(const Spec& spec, Meanings& meanings, const Contract& contract);

/// The config.json beside the weights at `path`, where there is one, against the spec. Rule: config.differs. What is
/// not compared is a note, config.not_compared; with `ignore` nothing is.
Diagnostics audit_config(const Spec& spec, Meanings& meanings, const std::string& path, bool ignore);

}  // namespace monomorph::generator
