// The tables of checkpoint.names: what each family of generator/families/ calls its tensors.
#pragma once

#include <string>

#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/family_files.hpp"

namespace monomorph::generator {

/// What the [checkpoint] of a family says of names: prefix, tensors, and all that its files ignore. A line of tensors
/// stands in the place of those before it that say one of its parts.
CheckpointSection read_name_table(const JoinedFamily& family, Diagnostics& diagnostics);

/// Adds the lines of the family that checkpoint.names says, where the section does not say otherwise: a tensor of
/// several parts and a line of one of them exclude each other.
void add_named_table(CheckpointSection& checkpoint);

}  // namespace monomorph::generator
