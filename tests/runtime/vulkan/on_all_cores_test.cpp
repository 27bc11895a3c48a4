#include "runtime/vulkan/on_all_cores.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace monomorph::vulkan;

namespace {

void nothing(std::size_t) {}

}  // namespace

TEST_CASE(
    "every piece is worked on once, by one of the threads, and the caller's thread hears of each when it has ended") {
  for (const std::size_t pieces : {0, 1, 2, 100}) {
    std::vector<std::atomic<int>> worked(pieces);
    std::vector<int> heard(pieces);
    const std::thread::id caller = std::this_thread::get_id();
    on_all_cores(
        pieces,
        [&](std::size_t piece, std::size_t thread) {
          CHECK(thread < threads_for(pieces));
          ++worked[piece];
        },
        [&](std::size_t piece) {
          CHECK(std::this_thread::get_id() == caller);
          CHECK(worked[piece] == 1);
          ++heard[piece];
        });
    CHECK(std::all_of(worked.begin(), worked.end(), [](const auto& times) { return times == 1; }));
    CHECK(std::all_of(heard.begin(), heard.end(), [](int times) { return times == 1; }));
  }
}

TEST_CASE("pieces are worked on side by side where there are cores for them") {
  const std::size_t threads = threads_for(64);
  std::atomic<std::size_t> waiting = 0;
  // Each waits for the others: one after another they would wait for ever.
  const auto meet = [&](std::size_t, std::size_t) {
    ++waiting;
    while (waiting < threads) std::this_thread::yield();
  };
  on_all_cores(threads, meet, nothing);
  CHECK(waiting == threads);
}

TEST_CASE("what a piece throws reaches the caller when no thread works any more, and begins no further piece") {
  std::atomic<std::size_t> begun = 0;
  std::atomic<int> working = 0;
  const auto work = [&](std::size_t piece, std::size_t) {
    ++begun;
    ++working;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --working;
    if (piece == 5) throw std::string("piece 5");
  };
  CHECK_THROWS_AS(on_all_cores(1000, work, nothing), std::string);
  CHECK(working == 0);
  CHECK(begun >= 6);
  CHECK(begun < 1000);
}

TEST_CASE("what the caller throws when it hears of a piece ends the work as well") {
  std::atomic<std::size_t> begun = 0;
  const auto work = [&](std::size_t, std::size_t) {
    ++begun;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  std::size_t heard = 0;
  const auto stop = [&](std::size_t) {
    if (++heard == 3) throw std::string("enough");
  };
  CHECK_THROWS_AS(on_all_cores(1000, work, stop), std::string);
  CHECK(heard == 3);
  CHECK(begun < 1000);
}
