// Where tensors stand: the named tables of checkpoint.names, and the ways in which parts of one tensor alternate. Data
// only.
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

/// What checkpoint.dtype may say.
std::vector<std::string> dtype_names();

/// What a part of a tensor can be cut by; 0: it has none.
struct PartRows {
  std::int64_t rows = 0, heads = 0, kv_heads = 0;
};

/// How parts of one tensor alternate: each is cut into as many pieces, which stand in turn.
struct Interleaving {
  std::string name;     ///< what `interleaved` says
  std::string meaning;  ///< "of each head, its rows of the parts in turn"
  std::int64_t (*pieces)(const PartRows& part);
  bool of_one = false;  ///< the halves of one part's pieces alternate, not parts of a tensor
};

const std::vector<Interleaving>& interleavings();
/// The one called `name`, or nothing.
const Interleaving* find_interleaving(const std::string& name);
std::vector<std::string> interleaving_names();

/// The parts that a line of a table of names says: those that are `fused`, by their words beside the line's own, or
/// the one that it is called after.
std::vector<std::string> parts_of_line(const std::string& line, const std::vector<std::string>& fused);

}  // namespace monomorph::generator
