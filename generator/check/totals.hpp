// Double-entry bookkeeping of totals: emitted totals are folds over the tensors' types; Clang evaluates them, and each
// must equal what the plan counted in its own way.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "generator/clang/clang.hpp"

namespace monomorph::generator {

/// `expected`: by qualified name ("tiny::total_parameters"), as the plan has them. A difference is an InternalError
/// that names every total that differs, with both values.
void verify_totals(const CppInput& header, const std::map<std::string, std::int64_t>& expected);

}  // namespace monomorph::generator
