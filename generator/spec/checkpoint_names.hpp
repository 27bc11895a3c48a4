// The named tables of checkpoint.names: where the tensors of known families stand. Data only.
#pragma once

#include <string>
#include <utility>
#include <vector>

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

/// The parts that a line of a table of names says: those that are `fused`, by their words beside the line's own, or
/// the one that it is called after.
std::vector<std::string> parts_of_line(const std::string& line, const std::vector<std::string>& fused);

}  // namespace monomorph::generator
