// Threads that do a pass together. Whoever waits looks for a moment before it sleeps: kernels take microseconds, and a
// sleeping thread takes tens of them to wake. While there is no pass, all sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace monomorph::cpu {

/// Where so many threads wait for each other, again and again.
class Meeting {
 public:
  explicit Meeting(std::int64_t count) : count_(count) {}
  /// Returns when all are here. Throws Left where one of them will not come.
  void wait();
  /// Says that the caller will not come again: it handles an exception, which rethrow() gives back.
  void leave();
  /// Throws what the first who left had caught, if one left. All have ended.
  void rethrow() const;

  struct Left {};

 private:
  const std::int64_t count_;
  std::atomic<std::int64_t> here_ = 0;
  std::atomic<std::uint32_t> round_ = 0;
  std::atomic<bool> left_ = false;
  std::exception_ptr thrown_;
};

/// One of the threads that do a piece of work.
class Worker {
 public:
  Worker(std::int64_t index, std::int64_t count, Meeting& all) : index_(index), count_(count), all_(all) {}

  std::int64_t index() const { return index_; }
  /// Waits until every worker is here. Throws where another has thrown; whoever waits lets that pass.
  void wait() {
    if (count_ > 1) all_.wait();
  }
  /// The first of `units` that are this worker's, and one past the last: equal shares, whatever they cost.
  std::pair<std::int64_t, std::int64_t> share(std::int64_t units) const {
    return {units * index_ / count_, units * (index_ + 1) / count_};
  }

 private:
  const std::int64_t index_, count_;
  Meeting& all_;
};

/// The process has one. Work of several callers takes turns, so that engines never run more threads than were asked
/// for.
class Pool {
 public:
  static Pool& of_process();
  ~Pool();

  /// Calls work(worker) in `threads` threads, the caller's among them, and waits for all. Throws what a worker throws,
  /// the first that does, and Error(environment) where the system has not so many threads.
  void run(std::int64_t threads, const std::function<void(Worker&)>& work);

 private:
  using Task = const std::function<void()>*;
  struct Thread {
    std::atomic<Task> task = nullptr;
    std::atomic<bool> ends = false;
    std::thread thread{};
  };
  void serve(Thread& own);
  void start_threads(std::int64_t count);

  std::mutex turn_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace monomorph::cpu
