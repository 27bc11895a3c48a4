// Fills the holes of the C++ templates from contract, graph and plan, one public function a file: cpp_model.cpp
// (dimensions, weights, states, buffers), cpp_forward.cpp (kernels, forward pass), cpp_reference.cpp (the reference),
// cpp_program.cpp (the runtime's tables, embedding, CMake).
#pragma once

#include <string>
#include <vector>

#include "generator/emit/emit.hpp"
#include "generator/emit/spelling.hpp"
#include "generator/emit/template.hpp"

namespace monomorph::generator {

/// Floats as a list of literals that read back as the same values.
std::string float_list(const std::vector<float>& values);

class CppWriter {
 public:
  /// `generated` is the line that says where the files come from.
  CppWriter(const Contract& contract, const Graph& graph, const Plan& plan, const Origin& origin, std::string generated)
      : contract_(contract),
        graph_(graph),
        plan_(plan),
        origin_(origin),
        generated_(std::move(generated)),
        spelling_(contract, graph, plan) {}

  std::string model() const;
  std::string kernels() const;
  std::string forward() const;
  std::string reference() const;
  std::string engine() const;
  std::string program() const;
  std::string cpu() const;
  std::string chat() const;
  std::string main() const;
  std::string spirv() const;
  std::string cmake(const std::string& short_space) const;
  /// The header `name` of the model, under its short name.
  std::string short_header(const std::string& name, const std::string& short_space) const;

 private:
  Holes common() const;
  /// The layers of a stack, one after the other: how often each runs, which one the n-th run is of, and the kinds of
  /// it.
  Holes loop(std::size_t stack) const;
  std::vector<std::size_t> kinds_of(std::size_t stack) const;
  bool several_kinds_in(std::size_t stack) const { return kinds_of(stack).size() > 1; }
  /// The arrays that say the kind of each layer, of stacks that have several.
  Holes layer_orders() const;
  /// What the hidden states of a stack are called, and their axis.
  std::string hidden_states_of(std::size_t stack) const;
  std::string hidden_axis_of(std::size_t stack) const;
  /// Whether a field of the record goes through a stack, beside its hidden states.
  bool is_field_of(BufferId field, std::size_t stack) const;
  std::string render(const std::string& path, const Holes& holes) const;
  /// What the names of a kind's functions and types begin with: nothing where there is one kind.
  Holes kind_names(std::size_t kind) const;
  /// A kind in the enumeration of kinds. The suffix keeps it apart from words of C++, as in all a kind gives its name
  /// to.
  static std::string enumerator_of(const LayerContract& kind) { return kind.kind.identifier + "_layer"; }
  bool several_kinds() const { return contract_.kinds.size() > 1; }
  bool has_states(std::size_t kind) const;
  /// Ids of weights, or of what is stored, count through the model's own, then kind by kind and layer by layer.
  std::int64_t first_weight(std::size_t kind) const;
  std::int64_t first_stored(std::size_t kind) const;

  std::vector<Holes> role_spaces() const;
  std::vector<Holes> weight_spaces(Scope scope) const;
  std::vector<Holes> state_spaces(std::size_t kind) const;
  std::vector<Holes> buffer_spaces() const;
  std::vector<Holes> kinds() const;

  std::vector<Holes> call_lines(const Section& section, Scope layer) const;
  /// Kinds whose states a kind of layer reads beside its own.
  std::vector<std::size_t> read_from(std::size_t kind) const;
  Holes layer_phase(const PhasePlan& phase) const;
  /// What calls a function of a kind of layer: what it is of in the emitted code.
  Holes layer_function(const PhasePlan& phase, std::size_t kind, bool of_source) const;

  std::vector<Holes> parameter_spaces(Scope scope) const;
  Holes reference_kind(std::size_t kind) const;
  Holes reference_source(std::size_t kind) const;
  std::vector<Holes> reference_states(std::size_t kind) const;

  std::vector<Holes> backends() const;
  std::vector<Holes> kernel_names() const;
  std::vector<Holes> kernel_tables() const;
  /// The name, frequencies and members of a RotaryFrequencies.
  Holes rotary_angles(AnglesId id) const;
  Holes weight_group(const std::string& name, Scope scope) const;
  std::vector<Holes> state_tables() const;

  const Contract& contract_;
  const Graph& graph_;
  const Plan& plan_;
  const Origin& origin_;
  std::string generated_;
  Spelling spelling_;
};

/// The lines of the reference for a function: one operation each.
std::vector<Holes> reference_lines(const Graph& graph, const Contract& contract, const AxisTable& axes,
                                   FunctionId function);

}  // namespace monomorph::generator
