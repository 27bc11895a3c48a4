#include "runtime/formats/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* action) {
  throw Error(ErrorKind::environment, fmt::format("{}: cannot {}: {}", path.string(), action, std::strerror(errno)));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "open");
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw Error(ErrorKind::environment, fmt::format("{}: is not a regular file", path.string()));
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  const int reason = errno;
  ::close(descriptor);
  if (data_ == MAP_FAILED) {
    errno = reason;
    fail(path, "map into memory");
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void advise_mapping(std::span<const std::byte> bytes, bool needed) {
  if (bytes.empty()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const auto end = begin + bytes.size();
  // A page shared with a neighbour is fetched, but never dropped.
  const auto first = needed ? begin / page * page : (begin + page - 1) / page * page;
  const auto last = needed ? end : end / page * page;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, needed ? MADV_WILLNEED : MADV_DONTNEED);
}

}  // namespace monomorph
