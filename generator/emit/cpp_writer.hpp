// Fills the holes of the C++ templates from the plan, one public function a file: cpp_model.cpp (dimensions, weights,
// buffers), cpp_forward.cpp (kernels, forward pass, reference), cpp_program.cpp (the runtime's tables, embedding,
// CMake).
#pragma once

#include <string>
#include <vector>

#include "generator/emit/emit.hpp"

namespace monomorph::generator {

/// Floats as a list of literals that read back as the same values.
std::string float_list(const std::vector<float>& values);

class CppWriter {
 public:
  /// `generated` is the line that says where the files come from.
  CppWriter(const Contract& contract, const Graph& graph, const Plan& plan, const Origin& origin, std::string generated)
      : contract_(contract), graph_(graph), plan_(plan), origin_(origin), generated_(std::move(generated)) {}

  std::string model() const;
  std::string kernels() const;
  std::string forward() const;
  std::string reference() const;
  std::string engine() const;
  std::string program() const;
  std::string main() const;
  std::string spirv() const;
  std::string cmake() const;

 private:
  Holes common() const;
  std::string render(const std::string& path, const Holes& holes) const;
  /// What the names of a kind's functions and types begin with: nothing where there is one kind.
  Holes kind_names(std::size_t index) const;
  /// Tensors count through the prologue, then kind by kind and layer by layer, then the epilogue.
  std::vector<std::int64_t> first_tensors() const;
  bool several_kinds() const { return contract_.kinds.size() > 1; }

  std::vector<Holes> axes() const;
  std::vector<Holes> roles() const;
  static std::vector<Holes> weight_records(const std::vector<WeightPlan>& weights, std::int64_t first_tensor);
  std::vector<Holes> once_weights() const;
  std::vector<Holes> kinds() const;
  std::string cache_sum() const;
  std::vector<Holes> buffers() const;

  /// Calls as lines; inside a layer the buffers' namespace is open.
  std::vector<Holes> call_lines(const std::vector<CallPlan>& calls, bool in_layer) const;
  Holes phase(const std::string& name, const std::string& about, const PhasePlan& phase) const;

  std::vector<Holes> kernel_names() const;
  std::vector<Holes> kernel_tables() const;
  static std::vector<Holes> patterns(const std::vector<WeightPlan>& weights);
  std::vector<Holes> tensor_groups() const;

  const Contract& contract_;
  const Graph& graph_;
  const Plan& plan_;
  const Origin& origin_;
  std::string generated_;
};

}  // namespace monomorph::generator
