// How fast memory is read here.
#pragma once

#include <cstdint>

namespace monomorph::cpu {

/// Bytes a second that so many threads read of memory in order, each its share of several times what the processor's
/// last cache holds: the best of several times. 0 where so much memory is not free.
double read_bandwidth(std::int64_t threads);

}  // namespace monomorph::cpu
