// Every row of a tensor is read for one weight.
#pragma once

#include "generator/contract/contract.hpp"
#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// Rule checkpoint.rows: rows of a tensor of a layer that nothing reads, that two weights read, or that it does not
/// have. What a spec may say gives no such views; this is the proof.
void audit_rows(const Contract& contract, Diagnostics& diagnostics);

}  // namespace monomorph::generator
