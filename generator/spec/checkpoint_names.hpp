// What the lines of [checkpoint] may say: types, and the ways in which parts of one tensor alternate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace monomorph::generator {

/// What checkpoint.dtype may say.
std::vector<std::string> dtype_names();

/// What a part of a tensor can be cut by; 0: it has none.
struct PartRows {
  std::int64_t rows = 0, heads = 0, kv_heads = 0, experts = 0;
};

/// How parts of one tensor alternate: each is cut into as many pieces, which stand in turn.
struct Interleaving {
  std::string name;     ///< what `interleaved` says
  std::string meaning;  ///< "of each head, its rows of the parts in turn"
  std::int64_t (*pieces)(const PartRows& part);
  bool of_one = false;  ///< it is the halves of one part's pieces that do, not parts of a tensor
  bool apart = false;   ///< of one: all first halves stand before all second ones
};

const std::vector<Interleaving>& interleavings();
/// The one called `name`, or nothing.
const Interleaving* find_interleaving(const std::string& name);
std::vector<std::string> interleaving_names();

/// The parts that a line of a table of names says: those that are `fused`, by their words beside the line's own, or
/// the one that it is called after.
std::vector<std::string> parts_of_line(const std::string& line, const std::vector<std::string>& fused);

}  // namespace monomorph::generator
