// audit: a checkpoint against the contract. Every tensor the model needs is there, with its shape and type; every
// tensor that is there is needed, or ignored for a reason that the spec states; nothing is guessed and nothing is left
// over.
//
// Takes an accepted contract and a checkpoint's path (file, index or directory). Gives all that is wrong in one run,
// equal complaints of many layers as one. Reads headers alone, unless values are scanned or a tied head must be
// compared with the embedding. Of tokenizer.json beside the checkpoint only the ids are looked at.
#pragma once

#include <string>

#include "generator/contract/contract.hpp"
#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// Rules: checkpoint.format, .rows, .missing, .unexpected, .shape, .dtype, .tied_head, .not_finite,
/// .tokenizer_vocabulary. Throws EnvironmentError when the checkpoint cannot be read.
Diagnostics audit_checkpoint(const Contract& contract, const std::string& path, bool scan_nan);

}  // namespace monomorph::generator
