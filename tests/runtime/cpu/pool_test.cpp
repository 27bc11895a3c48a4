// The threads that do a pass together: every unit is done once, barriers hold, and callers take turns.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/cpu/bandwidth.hpp"
#include "runtime/cpu/cores.hpp"
#include "runtime/cpu/pool.hpp"

using namespace monomorph;
using namespace monomorph::cpu;

TEST_CASE("workers share all units, each once, whatever their numbers") {
  for (const std::int64_t threads : {1, 2, 3, 7}) {
    for (const std::int64_t units : {0, 1, 2, 6, 7, 100}) {
      CAPTURE(threads);
      CAPTURE(units);
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(units));
      Pool::of_process().run(threads, [&](Worker& worker) {
        const auto [begin, end] = worker.share(units);
        for (std::int64_t unit = begin; unit < end; ++unit) ++done[static_cast<std::size_t>(unit)];
      });
      for (const std::atomic<int>& times : done) CHECK(times == 1);
    }
  }
}

TEST_CASE("what stands after a barrier sees all that stands before it") {
  constexpr std::int64_t threads = 4, rounds = 200;
  std::vector<std::int64_t> written(threads, 0);
  std::atomic<int> wrong = 0;
  Pool::of_process().run(threads, [&](Worker& worker) {
    for (std::int64_t round = 1; round <= rounds; ++round) {
      written[static_cast<std::size_t>(worker.index())] = round;
      worker.wait();
      for (const std::int64_t seen : written) wrong += seen == round ? 0 : 1;
      worker.wait();
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("callers in several threads take turns") {
  std::atomic<int> at_once = 0, most = 0, calls = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int call = 0; call < 50; ++call) {
        Pool::of_process().run(2, [&](Worker& worker) {
          if (worker.index() != 0) return;
          const int now = ++at_once;
          if (now > most) most = now;
          ++calls;
          --at_once;
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(calls == 150);
  CHECK(most == 1);
}

TEST_CASE("the processor is a device of the machine's memory, and has a core at least") {
  const DeviceInfo processor = describe_processor();
  CHECK(processor.backend == "cpu");
  CHECK(processor.name == "cpu");
  CHECK(processor.type == DeviceType::processor);
  CHECK(processor.unusable.empty());
  CHECK(processor.memory() > 0);
  CHECK(usable_cores() >= 1);
}

TEST_CASE("memory is read at some rate, by one thread and by two") {
  for (const std::int64_t threads : {1, 2}) {
    const double rate = read_bandwidth(threads);
    CHECK(rate > 1e8);
    CHECK(rate < 1e13);
  }
}
