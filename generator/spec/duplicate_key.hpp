// A key or section that a TOML document gives twice: the parser tells of the second place alone.
#pragma once

#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// `error`: why a document does not parse. Where it is that something is given twice, names it and adds the first place
/// as a note; left as it is where that cannot be told, as in an inline table.
void show_first_definition(Diagnostic& error);

}  // namespace monomorph::generator
