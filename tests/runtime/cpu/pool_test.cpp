// The threads that do a pass together: every unit is done once, barriers hold, and callers take turns.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cpu/bandwidth.hpp"
#include "runtime/cpu/cores.hpp"
#include "runtime/cpu/pool.hpp"
#include "runtime/error.hpp"

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

TEST_CASE("what a worker throws reaches the caller, whoever waits for him, and the next work is done") {
  for (const std::int64_t thrower : {0, 1, 2}) {
    for (const int rounds : {0, 1, 5}) {
      CAPTURE(thrower);
      CAPTURE(rounds);
      std::atomic<int> came_through = 0;
      const auto work = [&](Worker& worker) {
        for (int round = 0; round < rounds; ++round) worker.wait();
        if (worker.index() == thrower) throw std::bad_alloc();
        worker.wait();
        ++came_through;
      };
      CHECK_THROWS_AS(Pool::of_process().run(3, work), std::bad_alloc);
      CHECK(came_through == 0);
      std::atomic<int> done = 0;
      Pool::of_process().run(3, [&](Worker& worker) {
        worker.wait();
        ++done;
      });
      CHECK(done == 3);
    }
  }
}

#if !MONOMORPH_SANITIZED  // a sanitizer needs memory of its own after the limit
TEST_CASE("where the system has no more threads, a pool says how many there are, and goes on with those") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit little{1 << 20, 1 << 20};  // no stack fits into what is left
    int status = setrlimit(RLIMIT_AS, &little);
    {
      Pool pool;
      try {
        pool.run(1000, [](Worker&) {});
        status = 1;
      } catch (const Error& error) {
        int done = 0;
        pool.run(1, [&](Worker&) { ++done; });
        if (std::string(error.what()).find("no more (") == std::string::npos || done != 1) status = 1;
      }
    }
    _exit(status);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif

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
