// Which weights an engine was loaded with, told by a number: cheap, from a sample of each.
#pragma once

#include <cstdint>

#include "runtime/weights/weights.hpp"

namespace monomorph {

/// A hash of each weight's name, type, rows and columns, in order, and of up to 64 of its elements as the engine
/// computes with them: those at 8 rows and 8 columns, evenly apart, the first and the last among them. Checkpoints that
/// differ in other elements alone have one fingerprint; training changes nearly all. Throws what HostWeights::row does.
std::uint64_t fingerprint(const HostWeights& weights);

}  // namespace monomorph
