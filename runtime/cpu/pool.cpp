#include "runtime/cpu/pool.hpp"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

#include "runtime/error.hpp"

namespace monomorph::cpu {
namespace {

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Returns when the word is no longer `old`. It sleeps where that takes longer than waking would.
template <class T>
void wait_while(const std::atomic<T>& word, T old) {
  constexpr int looks = 64;
  constexpr std::chrono::microseconds longest(50);
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int look = 0; look < looks; ++look) {
      if (word.load(std::memory_order_acquire) != old) return;
      pause();
    }
  } while (std::chrono::steady_clock::now() - begin < longest);
  word.wait(old, std::memory_order_acquire);
}

}  // namespace

void Meeting::wait() {
  // Whoever leaves says so before he moves the round.
  const std::uint32_t round = round_.load();
  if (left_) throw Left();
  if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 < count_) {
    wait_while(round_, round);
    if (left_) throw Left();
    return;
  }
  here_.store(0, std::memory_order_relaxed);
  round_.store(round + 1);
  round_.notify_all();
}

void Meeting::leave() {
  if (left_.exchange(true)) return;
  thrown_ = std::current_exception();
  round_.fetch_add(1);
  round_.notify_all();
}

void Meeting::rethrow() const {
  if (thrown_ != nullptr) std::rethrow_exception(thrown_);
}

Pool& Pool::of_process() {
  static Pool pool;
  return pool;
}

Pool::~Pool() {
  for (const auto& thread : threads_) {
    thread->ends = true;
    static const std::function<void()> nothing = [] {};
    thread->task = &nothing;
    thread->task.notify_one();
    thread->thread.join();
  }
}

void Pool::serve(Thread& own) {
  while (true) {
    wait_while<Task>(own.task, nullptr);
    (*own.task.load())();
    if (own.ends) return;
    own.task = nullptr;
    own.task.notify_one();
  }
}

void Pool::start_threads(std::int64_t count) {
  threads_.reserve(static_cast<std::size_t>(count));  // a thread that has started is kept, whatever memory there is
  while (std::ssize(threads_) < count) {
    auto own = std::make_unique<Thread>();
    try {
      own->thread = std::thread([this, &own = *own] { serve(own); });
    } catch (const std::system_error& error) {
      throw Error(ErrorKind::environment, fmt::format("the system gives this process {} threads and no more ({}): pass "
                                                      "--threads {} or fewer",
                                                      threads_.size() + 1, error.what(), threads_.size() + 1));
    }
    threads_.push_back(std::move(own));
  }
}

void Pool::run(std::int64_t threads, const std::function<void(Worker&)>& work) {
  const std::scoped_lock turn(turn_);
  start_threads(threads - 1);
  Meeting all(threads);
  const auto do_share = [&](std::int64_t index) {
    Worker worker(index, threads, all);
    try {
      work(worker);
    } catch (const Meeting::Left&) {  // another has thrown
    } catch (...) {
      all.leave();
    }
  };
  std::vector<std::function<void()>> tasks;
  for (std::int64_t i = 1; i < threads; ++i) tasks.emplace_back([&do_share, i] { do_share(i); });
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    threads_[i]->task = &tasks[i];
    threads_[i]->task.notify_one();
  }
  do_share(0);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (const Task task = threads_[i]->task.load()) wait_while(threads_[i]->task, task);
  }
  all.rethrow();
}

}  // namespace monomorph::cpu
