// The field table as a JSON Schema (draft 2020-12), for editors that complete and check specs, and as the reference
// that stands in models/README.md.
#pragma once

#include <string>

namespace monomorph::generator {

/// JSON text, indented.
std::string spec_schema();

/// Markdown: a table for each section, and what expressions are made of.
std::string spec_reference();

}  // namespace monomorph::generator
