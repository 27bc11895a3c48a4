// How the plan's ids are spelled in emitted C++: types from role, element and axes; constants, members and functions
// from names. The one place that spells them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "generator/graph/graph.hpp"
#include "generator/plan/plan.hpp"

namespace monomorph::generator {

/// "attention::queries" -> "attention", "queries"; the first part is empty where there is none.
struct RolePath {
  std::string space, word;
};
RolePath split_role(const std::string& role);
/// "ff_in" -> "FfIn".
std::string camel_case(const std::string& identifier);

/// A kernel as a typed C++ function: calls of one kernel with arguments of the same types share it.
struct CppFunction {
  std::string name;
  std::string about;
  KernelId kernel;
  std::vector<std::string> types, parameters;  ///< in the order of the kernel's bindings
  std::string rows;                            ///< an expression of axes
  Count count = Count::rows;
  std::string per_row, banks;  ///< the same; empty: 1
};

class Spelling {
 public:
  Spelling(const Contract& contract, const Graph& graph, const Plan& plan);

  std::string type(BufferId id) const;
  std::string type(StoredId id) const;
  std::string type(StateId id) const;
  std::string type(const Argument& argument) const;
  std::string axes(const std::vector<AxisId>& axes) const;
  /// A sum of sizes: "q::size + kv::size"; "1" of none.
  std::string extent(const Extent& extent) const;

  /// The name of a buffer's constant below its role's namespace: "queries_turned", "local_queries".
  RolePath constant(BufferId id) const { return split_role(plan_.buffers[id].name); }
  /// An argument inside the function of a kind of layer, where the namespace of buffers is open, or elsewhere.
  std::string argument(const Argument& argument, Scope layer) const;

  const std::vector<CppFunction>& functions() const { return functions_; }
  /// The function that a call is written as.
  const CppFunction& function(const Call& call) const { return functions_[of_calls_.at(&call)]; }
  /// Every role, sorted.
  std::vector<std::string> roles() const;

 private:
  CppFunction describe(const Call& call, const PhasePlan& phase) const;

  const Contract& contract_;
  const Graph& graph_;
  const Plan& plan_;
  std::vector<CppFunction> functions_;
  std::map<const Call*, std::size_t> of_calls_;
};

/// Records by the namespace that they belong to, those of none first: { "space", "records" }.
template <class Record>
std::vector<std::pair<std::string, std::vector<Record>>> by_space(const std::vector<std::pair<RolePath, Record>>& all) {
  std::vector<std::pair<std::string, std::vector<Record>>> groups = {{"", {}}};
  for (const auto& [path, record] : all) {
    auto found = groups.begin();
    while (found != groups.end() && found->first != path.space) ++found;
    if (found == groups.end()) {
      groups.push_back({path.space, {}});
      found = groups.end() - 1;
    }
    found->second.push_back(record);
  }
  return groups;
}

}  // namespace monomorph::generator
