#include "runtime/cpu/bandwidth.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <span>

#include "runtime/cpu/cores.hpp"
#include "runtime/cpu/memory.hpp"
#include "runtime/cpu/pool.hpp"

namespace monomorph::cpu {
namespace {

constexpr int times = 8;

/// Several times what the last caches of so many cores hold.
std::int64_t bytes_to_read(std::int64_t threads) {
  constexpr std::int64_t least = 256'000'000;
  return std::max<std::int64_t>(least, 4 * threads * sysconf(_SC_LEVEL3_CACHE_SIZE));
}

/// Vectors of the compiler's choice: reading waits for memory, not for them.
std::uint64_t sum_of(std::span<const std::uint64_t> words) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += word;
  return sum;
}

}  // namespace

double read_bandwidth(std::int64_t threads) {
  using Clock = std::chrono::steady_clock;
  const std::int64_t bytes = bytes_to_read(threads), words = bytes / 8;
  if (describe_processor().heaps.front().available < 2 * bytes) return 0;
  const Memory memory(bytes);
  std::atomic<std::uint64_t> sums = 0;  // so that what is read is used
  double best = 0;
  Pool& pool = Pool::of_process();
  pool.run(threads, [&](Worker& worker) {  // pages that nobody wrote to are one page of zeros
    const auto [begin, end] = worker.share(words);
    std::memset(memory.data() + 8 * begin, 1, static_cast<std::size_t>(8 * (end - begin)));
  });
  for (int time = 0; time < times; ++time) {
    const Clock::time_point begin = Clock::now();
    pool.run(threads, [&](Worker& worker) {
      const auto [first, last] = worker.share(words);
      const auto* const all = reinterpret_cast<const std::uint64_t*>(memory.data());
      sums += sum_of({all + first, all + last});
    });
    best = std::max(best, static_cast<double>(bytes) / std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

}  // namespace monomorph::cpu
