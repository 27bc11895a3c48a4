// The tokenizer beside a checkpoint: whether every id it can give is a row of the embedding.
#pragma once

#include <filesystem>

#include "generator/contract/contract.hpp"
#include "generator/diagnostics.hpp"

namespace monomorph::generator {

/// Without a tokenizer.json in `directory` there is nothing to say.
void audit_vocabulary(const Contract& contract, const std::filesystem::path& directory, Diagnostics& diagnostics);

}  // namespace monomorph::generator
