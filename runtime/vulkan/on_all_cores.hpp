// Work that is cut into pieces of their own, on as many threads as there are cores.
#pragma once

#include <cstddef>
#include <functional>

namespace monomorph::vulkan {

/// Threads that so many pieces are worth.
std::size_t threads_for(std::size_t pieces);

/// Calls work(piece, thread) for every piece below `pieces`, begun in their order, each by one of threads_for(pieces)
/// threads; and ended(piece) in the caller's thread, for one after another, in the order in which they end. What either
/// throws begins no further piece; those that have begun are waited for, and it is thrown here.
void on_all_cores(std::size_t pieces, const std::function<void(std::size_t piece, std::size_t thread)>& work,
                  const std::function<void(std::size_t piece)>& ended);

}  // namespace monomorph::vulkan
