// A base that several kinds of layer share is read and judged once for each; what is wrong with it is said once.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// Appends `found`, of equal diagnostics at one place the first alone.
inline void append_distinct(const Diagnostics& found, Diagnostics& diagnostics) {
  std::set<std::tuple<std::string, std::string, int, int, std::string>> seen;
  for (const Diagnostic& diagnostic : found.all()) {
    const Span& span = diagnostic.span;
    const std::string file = span.source != nullptr ? span.source->name : "";
    if (seen.emplace(diagnostic.rule, file, span.line, span.column, diagnostic.message).second) {
      diagnostics.all().push_back(diagnostic);
    }
  }
}

}  // namespace monomorph::generator
