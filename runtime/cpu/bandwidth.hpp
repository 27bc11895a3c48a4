// How fast memory is read here.
#pragma once

#include <cstdint>

namespace monomorph::cpu {

/// Bytes a second that so many threads read of memory in order, each its share of 256 MB: the best of several times.
/// Takes a fifth of a second. Throws Error(environment) where there is not so much memory.
double read_bandwidth(std::int64_t threads);

}  // namespace monomorph::cpu
