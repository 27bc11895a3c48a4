// Memory that begins as zeros, on a page of its own: pages that nobody touches take none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace monomorph::cpu {

class Memory {
 public:
  Memory() = default;
  /// Large pages have 2 MiB, where the system has such. The first touch of one takes all of it.
  enum class Pages { small, large };
  /// Throws Error(environment) where there is not enough.
  explicit Memory(std::int64_t bytes, Pages pages = Pages::small);
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace monomorph::cpu
