#include "runtime/reference/parallel.hpp"

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

namespace monomorph::reference {

void parallel_for(std::int64_t count, std::int64_t operations,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  constexpr std::int64_t operations_per_thread = 1 << 18;
  const std::int64_t cores = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  const std::int64_t threads = std::min({cores, count, 1 + operations / operations_per_thread});
  std::vector<std::future<void>> others;
  for (std::int64_t i = 1; i < threads; ++i) {
    others.push_back(std::async(std::launch::async,
                                [&body, count, threads, i] { body(count * i / threads, count * (i + 1) / threads); }));
  }
  body(0, threads > 1 ? count / threads : count);
  for (std::future<void>& other : others) other.get();
}

}  // namespace monomorph::reference
