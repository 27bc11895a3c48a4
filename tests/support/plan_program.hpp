// A plan as the program of an engine, without C++ in between: its kernels are emitted and compiled here, its tables are
// filled from the plan, and its calls are recorded as they stand. So that a graph which no spec describes runs on a
// device.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "generator/plan/plan.hpp"
#include "runtime/weights/weights.hpp"
#include "tests/support/graph_evaluator.hpp"

namespace monomorph::test {

class PlanProgram {
 public:
  /// `counted`: kernels that multiply with one or two matrices, and count what they read of these (see `reads`).
  PlanProgram(const generator::Contract& contract, const generator::Graph& graph, const generator::Plan& plan,
              const std::vector<std::string>& counted = {});
  PlanProgram(const PlanProgram&) = delete;

  /// Lives as long as this, and has no reference.
  const Program& program() const { return program_; }
  /// It may run on the CPU, by these kernels, which outlive it.
  void add_cpu_kernels(std::span<const cpu::Function> kernels);
  /// Where a counted kernel counts, in the host's arena: for each row of its matrices, as they are stored, how many
  /// groups of 16 bytes were read of it, as a uint32.
  BufferView reads(const std::string& kernel) const { return reads_.at(kernel); }
  /// The program's weights as an evaluator reads them.
  WeightReader reader(const HostWeights& weights) const;

 private:
  using Scope = generator::Scope;
  void add_kernels();
  void add_reads(const std::string& kernel);
  void add_weights(Scope scope);
  void add_states();
  void add_phases();
  void record(Recorder& recorder, const generator::PhasePlan& phase) const;
  void record_sources(Recorder& recorder, const generator::PhasePlan& phase) const;
  void record(Recorder& recorder, const generator::Section& section, std::int64_t layer) const;
  /// `kind`: the section's; `layer`: of its stack, as often as it runs; -1: of none.
  monomorph::Argument argument(const generator::Argument& argument, std::size_t kind, std::int64_t layer) const;
  BufferView view(generator::BufferId buffer) const;
  /// How many times layers of its kind came before in this stack.
  static std::int64_t turn(const generator::StackContract& stack, std::int64_t layer);
  const char* keep(const std::string& text) { return texts_.emplace_back(text).c_str(); }

  const generator::Contract& contract_;
  const generator::Graph& graph_;
  const generator::Plan& plan_;
  Program program_{};
  std::deque<std::string> texts_;
  std::deque<std::vector<std::uint32_t>> spirv_;
  std::deque<std::vector<Binding>> bindings_;
  std::deque<std::vector<WeightPart>> parts_;
  std::deque<std::vector<StoredPiece>> pieces_;
  std::deque<std::vector<WeightPattern>> weights_;
  std::deque<std::vector<StoredPattern>> stored_;
  std::vector<Kernel> kernels_;
  std::vector<WeightGroup> groups_;
  std::vector<StateTable> states_;
  std::vector<RotaryAngles> angles_;
  std::map<std::string, BufferView> reads_;
  std::vector<const Backend*> backends_;
};

}  // namespace monomorph::test
