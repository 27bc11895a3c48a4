// Emission: the plan as text. Every file comes from a template in templates/; this stage only says what fills the
// holes.
//
// Deterministic: the same contract and origin give the same bytes; no date, host or path gets in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/chat/chat.hpp"
#include "generator/contract/contract.hpp"
#include "generator/graph/graph.hpp"
#include "generator/plan/plan.hpp"

namespace monomorph::generator {

/// What emitted headers say of where they come from.
struct Origin {
  std::string version;            ///< of the generator
  std::string spec_name;          ///< file name alone
  std::string command;            ///< that gives the same files again
  std::string config_facts = {};  ///< of a config.json beside the weights: runtime/formats/config_facts.hpp
  CompiledChat chat = {};
};

/// Files by path relative to the output directory.
using EmittedFiles = std::map<std::string, std::string>;

/// The C++ (formatted), the kernels with what they include, plan.txt and CMakeLists.txt.
EmittedFiles emit_model(const Contract& contract, const Graph& graph, const Plan& plan, const Origin& origin);

/// The kernels alone.
EmittedFiles emit_kernels(const Contract& contract, const Plan& plan, const std::string& generated);

/// The kernels as a CPU runs them alone: a C++ source that defines cpu_kernels in the namespace `space`.
std::string emit_cpu_kernels(const Plan& plan, const std::string& space, const std::string& generated);

}  // namespace monomorph::generator
