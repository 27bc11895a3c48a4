// Classes of layers: a kind's layers whose weights have equal types, and which read something of layers of one class.
// Kernels differ by type, so that everything after the contract tells classes apart; the spec and its messages know
// kinds.
#pragma once

#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// The spec with every kind cut into its classes, in order of first use. They keep the kind's name; the second and
/// further ones have identifiers of their own.
Spec cut_into_classes(const Spec& spec);

}  // namespace monomorph::generator
