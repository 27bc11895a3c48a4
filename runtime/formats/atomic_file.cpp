#include "runtime/formats/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/error.hpp"

namespace monomorph {

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(status)) {
    throw Error(ErrorKind::environment, fmt::format("{}: is a directory; name a file", path_.string()));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("open");
    return;
  }
  target_ = std::filesystem::exists(status) ? std::filesystem::canonical(path_, ignored) : path_;
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = fmt::format("{}.{}-{}.tmp", target_.string(), ::getpid(), attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt == 100)) {
      temporary_.clear();
      fail("create");
    }
  }
  // A file that others may not read stays so.
  const auto permissions = static_cast<::mode_t>(status.permissions() & std::filesystem::perms::all);
  if (std::filesystem::exists(status) && ::fchmod(descriptor_, permissions) != 0) fail("set the permissions");
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail(const char* action) {
  const int reason = errno;
  discard();
  throw Error(ErrorKind::environment,
              fmt::format("{}: cannot {}: {}; nothing was left there", path_.string(), action, std::strerror(reason)));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void AtomicFile::commit() {
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail("write");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write");
  if (!temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename the finished file");
  temporary_.clear();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace monomorph
