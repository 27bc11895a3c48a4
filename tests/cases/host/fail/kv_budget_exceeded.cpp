#include "tiny/model.hpp"

// expect: the KV cache is larger than the 256 KiB it may have
static_assert(tiny::cache_bytes <= 256 * 1024, "the KV cache is larger than the 256 KiB it may have");
