// The named tables of checkpoint.names: where the tensors of known families stand. Data only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/spec/spec.hpp"

namespace monomorph::generator {

struct NamedTensor {
  std::string part;  ///< "layers.{i}.attention.q"
  std::string name;  ///< pattern with {i}
  bool transposed = false;
  std::vector<std::string> fused;
};

struct NameTable {
  std::string name;
  std::vector<std::string> prefix;
  std::vector<NamedTensor> tensors;
  std::vector<std::pair<std::string, std::string>> ignore;  ///< pattern, why
};

/// The table called `name`, or nothing.
const NameTable* find_name_table(const std::string& name);

/// Adds the lines of the named table that the section does not say otherwise: a tensor of several parts and a line of
/// one of them exclude each other.
void add_named_table(CheckpointSection& checkpoint);

/// The parts that a line of a table of names says: those that are `fused`, by their words beside the line's own, or
/// the one that it is called after.
std::vector<std::string> parts_of_line(const std::string& line, const std::vector<std::string>& fused);

}  // namespace monomorph::generator
