// diff: what one model has other than another, in what it means and in what it costs.
//
// Takes two accepted specs with their graphs and plans. Fields are compared by their resolved values, layer by layer,
// so that names of kinds and the way a spec is written make no difference; of two values that mean the same model
// nothing is told. Tensors are compared by the part of the model that they are, kernels by their names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/contract/contract.hpp"
#include "generator/graph/graph.hpp"
#include "generator/plan/plan.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// One of the two.
struct ComparedModel {
  std::string name;  ///< as the user named it
  const Spec& spec;
  std::vector<Override> overrides;  ///< with which it was read
  const Contract& contract;
  const Graph& graph;
  const Plan& plan;
};

/// A value of each; "" where one has none.
struct Change {
  std::string what;    ///< "attention.head_dim", "layers.{i}.mlp.up", "qkv_proj_decode_bf16"
  std::string layers;  ///< "0-3,10"; "": all, or outside the layers
  std::string before, after;
};

struct CountChange {
  std::string what;  ///< "parameters", "weights" ...
  bool bytes = false;
  std::int64_t before = 0, after = 0;
};

struct Difference {
  std::string before, after;  ///< what is compared
  bool same_meaning = true;   ///< both compute the same of the same weights
  std::vector<Change> fields, tensors;
  std::vector<Change> names;        ///< of tensors in the checkpoint, where the part is in both
  std::vector<CountChange> counts;  ///< parameters, memory, dispatches: those that differ
  std::vector<Change> kernels;      ///< their dispatches in each phase, or what is told of one that both have

  /// Nothing differs but how the specs are written.
  bool none() const;
};

Difference compare_models(const ComparedModel& before, const ComparedModel& after);

std::string difference_text(const Difference& difference);
std::string difference_json(const Difference& difference);

}  // namespace monomorph::generator
