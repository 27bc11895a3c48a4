// What a checkpoint calls the tensors of a random spec, and how they hold its parts.
#pragma once

#include <cstddef>

#include "generator/spec/spec.hpp"

namespace monomorph::test {

/// A tensor for each part that a spec may have, under its name; `way`: that of experts and of latents.
void name_tensors(generator::Spec& spec, std::size_t way);

}  // namespace monomorph::test
