// A plan executed on the host, in double, on an image of the device's memory: each call computes its group, reading
// what the group is given from its places and writing what leaves it to its places, one element after the other, as
// kernels whose workgroups run in any order may. So it sees every fault of partition, order, packing, sharing and
// stacking, and none of a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "generator/plan/partition.hpp"
#include "tests/support/graph_evaluator.hpp"

namespace monomorph::test {

class PlanImage {
 public:
  PlanImage(const generator::Plan& plan, const generator::Graph& graph, const generator::Contract& contract,
            WeightReader weights);

  /// Runs a phase of layers over tokens of a slot at positions first...
  void run(const char* phase, std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t first,
           std::span<const std::int32_t> types = {});
  /// Reads a source in place of the slot's.
  void encode(std::int64_t slot, std::span<const std::int32_t> source);
  /// A phase of the head for these rows of the last run; gives logits, or texts' vectors.
  EvaluatedValue head(const char* phase, std::span<const std::int64_t> rows);
  /// What the last run, or reading of a source, left of its record, by role.
  std::map<std::string, EvaluatedValue> carried();

 private:
  void begin(std::size_t stack, std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t first);
  /// The embedding, layers and last norm of the stack.
  void run_stack(const generator::PhasePlan& phase);
  void run_section(const generator::PhasePlan& phase, const generator::Section& section, std::int64_t layer);
  /// All of a recurrence's matrices, token by token.
  void run_recurrence(const generator::Planning& planning, const generator::Section& section,
                      const generator::Call& call, const generator::Op& op, std::int64_t layer);
  void run_call(const generator::Planning& planning, const generator::Section& section, const generator::Call& call,
                std::int64_t layer);
  bool writes(const generator::Call& call, const generator::Place& place) const;
  double& at(const generator::Place& place, std::int64_t row, std::int64_t column);
  double& state_at(std::uint32_t state, std::int64_t layer, std::int64_t position, std::int64_t column);
  /// An element of a value, as the call sees it: from memory, or computed inside its group.
  double read(const generator::Planning& planning, const generator::Section& section, const generator::Call& call,
              generator::ValueId value, std::int64_t row, std::int64_t column, std::int64_t layer);
  double compute(const generator::Planning& planning, const generator::Section& section, const generator::Call& call,
                 const generator::Op& op, std::int64_t row, std::int64_t column, std::int64_t layer);

  const generator::Plan& plan_;
  const generator::Graph& graph_;
  const generator::Contract& contract_;
  WeightReader weights_;
  std::vector<double> activations_, states_, host_;  ///< by bytes / 2
  std::vector<std::int64_t> positions_, rows_;
  std::vector<std::int32_t> tokens_, types_;
  std::int64_t slot_ = 0;
  std::size_t stack_ = generator::own_stack;
  std::map<std::int64_t, std::int64_t> sources_;  ///< by slot: tokens of its source
  /// Of each slot, the position whose tokens made each copy of its recurrent states; those that the pass reads and
  /// writes.
  std::map<std::int64_t, std::array<std::int64_t, recurrent_copies>> copies_;
  std::int64_t from_ = 0, to_ = 0;
  std::vector<std::vector<double>> matrices_;  ///< of the recurrence that runs, before each of the pass's tokens
};

}  // namespace monomorph::test
