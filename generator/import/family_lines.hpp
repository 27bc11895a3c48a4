// The [spec] of a family's file: what the spec says, line by line.
#pragma once

#include <string>
#include <vector>

#include "generator/import/family.hpp"
#include "generator/import/family_text.hpp"

namespace monomorph::generator {

/// "checkpoint.tensors.PART": the part, or nothing.
std::string part_of(const std::string& key);

/// In the order of the field table. `names`: what any expression may name. `kinds`: those that each stack's layers may
/// be of, as Family::kinds has them.
std::vector<FamilyLine> read_family_lines(const std::vector<TomlEntry>& spec, const ExpressionNames& names,
                                          const std::array<Expression, 2>& kinds, FamilyText& text);

}  // namespace monomorph::generator
