// The one way this folder uses several threads. It is compiled once, with the runtime: each engine would instantiate
// the library's threads for every shape of its operations.
#pragma once

#include <cstdint>
#include <functional>

namespace monomorph::reference {

/// Calls body(begin, end) over a partition of [0, count), on several threads where `operations` (multiplications in
/// all) repay starting them. Deterministic as long as no index depends on another.
void parallel_for(std::int64_t count, std::int64_t operations,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace monomorph::reference
