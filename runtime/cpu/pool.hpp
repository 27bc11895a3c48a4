// Threads that do a pass together. They sleep while there is none.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace monomorph::cpu {

/// One of the threads that do a piece of work.
class Worker {
 public:
  Worker(std::int64_t index, std::int64_t count, std::barrier<>& all) : index_(index), count_(count), all_(all) {}

  std::int64_t index() const { return index_; }
  /// Waits until every worker is here.
  void wait() {
    if (count_ > 1) all_.arrive_and_wait();
  }
  /// The first of `units` that are this worker's, and one past the last: equal shares, whatever they cost.
  std::pair<std::int64_t, std::int64_t> share(std::int64_t units) const {
    return {units * index_ / count_, units * (index_ + 1) / count_};
  }

 private:
  const std::int64_t index_, count_;
  std::barrier<>& all_;
};

/// The process has one. Work of several callers takes turns, so that engines never run more threads than were asked
/// for.
class Pool {
 public:
  static Pool& of_process();
  ~Pool();

  /// Calls work(worker) in `threads` threads, the caller's among them, and waits for all.
  void run(std::int64_t threads, const std::function<void(Worker&)>& work);

 private:
  struct Thread {
    std::atomic<const std::function<void()>*> task = nullptr;
    std::atomic<bool> ends = false;
    std::thread thread{};
  };
  void serve(Thread& own);

  std::mutex turn_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace monomorph::cpu
