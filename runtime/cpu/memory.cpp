#include "runtime/cpu/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include "runtime/error.hpp"

namespace monomorph::cpu {

Memory::Memory(std::int64_t bytes, Pages pages) : bytes_(bytes) {
  if (bytes == 0) return;
  void* const mapped = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    bytes_ = 0;
    throw Error(ErrorKind::environment, fmt::format("the machine has no {} bytes of memory", bytes));
  }
  if (pages == Pages::large) madvise(mapped, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // where it can
  data_ = static_cast<std::byte*>(mapped);
}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Memory::~Memory() {
  if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(bytes_));
}

}  // namespace monomorph::cpu
