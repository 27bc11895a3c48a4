#include "runtime/cpu/pool.hpp"

#include <chrono>

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
  const std::uint32_t round = round_.load(std::memory_order_relaxed);
  if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 < count_) return wait_while(round_, round);
  here_.store(0, std::memory_order_relaxed);
  round_.store(round + 1, std::memory_order_release);
  round_.notify_all();
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

void Pool::run(std::int64_t threads, const std::function<void(Worker&)>& work) {
  const std::scoped_lock turn(turn_);
  while (std::ssize(threads_) < threads - 1) {
    threads_.push_back(std::make_unique<Thread>());
    Thread& own = *threads_.back();
    own.thread = std::thread([this, &own] { serve(own); });
  }
  Meeting all(threads);
  std::vector<std::function<void()>> tasks;
  for (std::int64_t i = 1; i < threads; ++i) {
    tasks.emplace_back([&work, &all, i, threads] {
      Worker worker(i, threads, all);
      work(worker);
    });
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    threads_[i]->task = &tasks[i];
    threads_[i]->task.notify_one();
  }
  Worker worker(0, threads, all);
  work(worker);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (const Task task = threads_[i]->task.load()) wait_while(threads_[i]->task, task);
  }
}

}  // namespace monomorph::cpu
