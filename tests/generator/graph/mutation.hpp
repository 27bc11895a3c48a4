// A valid graph, broken in one way, and what the verifier says of it.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/random_graph.hpp"

namespace monomorph::test {

using namespace generator;

struct Mutation {
  const char* refused_by;  ///< an invariant, or a part of its complaint
  const char* what;
  std::function<void(RandomGraph&)> apply;
};

/// The first operation of a type in a layer for which `test` holds.
template <class T>
OpId find(const Graph& graph, const std::function<bool(const Op&)>& test = [](const Op&) { return true; }) {
  for (const OpId id : graph.ops.ids()) {
    const Op& op = graph.ops[id];
    if (as<T>(op) != nullptr && op.function != graph.own().embed && op.function != graph.head && test(op)) return id;
  }
  FAIL("the sample has no such operation");
  return {};
}

/// Each mutation of a valid graph has a complaint of which `said` gives what refuses it.
template <class Said>
void check_refusals(const RandomGraph& valid, const std::vector<Mutation>& mutations, const Said& said) {
  REQUIRE(check_graph(valid.graph, valid.contract).empty());
  for (const Mutation& mutation : mutations) {
    CAPTURE(std::string(mutation.refused_by));
    CAPTURE(std::string(mutation.what));
    RandomGraph broken = valid;
    mutation.apply(broken);
    const std::vector<Complaint> complaints = check_graph(broken.graph, broken.contract);
    CHECK(std::any_of(complaints.begin(), complaints.end(), [&](const Complaint& complaint) {
      return said(complaint).find(mutation.refused_by) != std::string::npos;
    }));
    CHECK_THROWS_AS(verify_graph(broken.graph, broken.contract), InternalError);
  }
}

}  // namespace monomorph::test
