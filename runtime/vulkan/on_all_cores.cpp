#include "runtime/vulkan/on_all_cores.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace monomorph::vulkan {
namespace {

/// What threads and the caller share.
class Pieces {
 public:
  Pieces(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) : count_(count), work_(work) {}

  /// What a thread does.
  void run(std::size_t thread) {
    std::unique_lock lock(mutex_);
    while (failure_ == nullptr && next_ < count_) {
      const std::size_t piece = next_++;
      lock.unlock();
      std::exception_ptr failure;
      try {
        work_(piece, thread);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure == nullptr) {
        ended_.push_back(piece);
      } else if (failure_ == nullptr) {
        failure_ = failure;
      }
      changed_.notify_one();
    }
  }

  /// What the caller does: hears of each piece, until all have ended or something has failed.
  void hear(const std::function<void(std::size_t)>& ended) {
    std::unique_lock lock(mutex_);
    for (std::size_t heard = 0; heard < count_; ++heard) {
      changed_.wait(lock, [&] { return failure_ != nullptr || !ended_.empty(); });
      if (failure_ != nullptr) return;
      const std::size_t piece = ended_.front();
      ended_.pop_front();
      lock.unlock();
      std::exception_ptr failure;
      try {
        ended(piece);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure_ == nullptr) failure_ = failure;
    }
  }

  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  const std::size_t count_;
  const std::function<void(std::size_t, std::size_t)>& work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::deque<std::size_t> ended_;  ///< that the caller has not heard of
  std::exception_ptr failure_;     ///< the first
};

}  // namespace

std::size_t threads_for(std::size_t pieces) {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, std::max<std::size_t>(pieces, 1));
}

void on_all_cores(std::size_t pieces, const std::function<void(std::size_t, std::size_t)>& work,
                  const std::function<void(std::size_t)>& ended) {
  Pieces shared(pieces, work);
  {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t t = 0; t < threads_for(pieces); ++t) threads.emplace_back([&shared, t] { shared.run(t); });
    } catch (const std::system_error&) {  // as many as the system grants; where it grants none, the caller's own
    }
    if (threads.empty()) shared.run(0);
    shared.hear(ended);
  }
  shared.rethrow();
}

}  // namespace monomorph::vulkan
