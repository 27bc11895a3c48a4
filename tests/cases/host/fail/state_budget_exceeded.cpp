#include "tiny/model.hpp"

// expect: the states are larger than the 256 KiB they may have
static_assert(tiny::state_bytes <= 256 * 1024, "the states are larger than the 256 KiB they may have");
