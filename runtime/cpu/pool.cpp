#include "runtime/cpu/pool.hpp"

namespace monomorph::cpu {

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
    own.task.wait(nullptr);
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
  std::barrier<> all(threads);
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
    while (const auto* task = threads_[i]->task.load()) threads_[i]->task.wait(task);
  }
}

}  // namespace monomorph::cpu
