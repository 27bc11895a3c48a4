#include "runtime/formats/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

namespace fs = std::filesystem;

/// Takes the lock that a writer holds on its temporary file; false where another holds it, or nobody can.
bool lock(int descriptor, int flags) {
  int failed;
  while ((failed = ::flock(descriptor, LOCK_EX | flags)) != 0 && errno == EINTR) {
  }
  return failed == 0;
}

/// Whether `name` is that of a temporary file of `target`: "target.PID-COUNT.tmp".
bool is_temporary_of(std::string_view target, std::string_view name) {
  constexpr std::string_view end = ".tmp";
  if (!name.starts_with(target) || !name.ends_with(end) || name.size() <= target.size() + 1 + end.size()) return false;
  const std::string_view middle = name.substr(target.size(), name.size() - target.size() - end.size());
  return middle.front() == '.' && middle.find_first_not_of("0123456789-", 1) == std::string_view::npos;
}

/// Removes the temporary files of `target` whose writers have ended. One that cannot be removed is no reason to fail.
void remove_abandoned(const fs::path& target) {
  const fs::path directory = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_temporary_of(target.filename().native(), entry->path().filename().native())) continue;
    const int descriptor = ::open(entry->path().c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    if (lock(descriptor, LOCK_NB)) ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

/// A name that this process has not given before: what another process finds under it is one file alone.
std::string temporary_name(const fs::path& target) {
  static std::atomic<unsigned> count = 0;
  return fmt::format("{}.{}-{}.tmp", target.string(), ::getpid(), count++);
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, ::mode_t mode) : path_(std::move(path)) {
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
  remove_abandoned(target_);
  open_temporary(mode);
  // A file that others may not read stays so.
  const auto permissions = static_cast<::mode_t>(status.permissions() & std::filesystem::perms::all);
  if (std::filesystem::exists(status) && ::fchmod(descriptor_, permissions) != 0) fail("set the permissions");
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::open_temporary(::mode_t mode) {
  for (int attempt = 0;; ++attempt) {
    temporary_ = temporary_name(target_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ < 0) {
      if (errno == EEXIST && attempt < 100) continue;
      temporary_.clear();
      fail("create");
    }
    // Another process may have taken it for abandoned before it was locked. Where nobody can lock, nobody removes.
    lock(descriptor_, 0);
    struct stat facts{};
    if (::fstat(descriptor_, &facts) != 0 || facts.st_nlink > 0) return;
    ::close(std::exchange(descriptor_, -1));
  }
}

void AtomicFile::discard() noexcept {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
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
  // The lock is held until the file has its name: an unlocked one is taken for abandoned.
  if (!temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename the finished file");
  const bool direct = temporary_.empty();
  temporary_.clear();
  if (::close(std::exchange(descriptor_, -1)) != 0 && direct) fail("write");
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace monomorph
