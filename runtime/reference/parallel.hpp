// The one way this folder uses several threads. It is no template, as the operations are: every engine would compile
// std::async anew for each shape of them.
#pragma once

#include <cstdint>
#include <functional>

namespace monomorph::reference {

/// Calls body(begin, end) over a partition of [0, count), on several threads where `operations` (multiplications in
/// all) repay starting them. Deterministic as long as no index depends on another.
void parallel_for(std::int64_t count, std::int64_t operations,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace monomorph::reference
