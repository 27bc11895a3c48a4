#include "runtime/cli/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/cli/interrupt.hpp"
#include "runtime/error.hpp"

namespace monomorph::cli {

Input::Input(const std::string& path)
    : name_(path == "-" ? "standard input" : path),
      // A pipe that nobody writes to yet is opened at once, and waited for below.
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) fail("open");
}

Input::~Input() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

std::optional<std::int64_t> Input::bytes() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status.st_size;
}

bool Input::ready() const {
  pollfd waiting{descriptor_, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

bool Input::read(std::string& text) {
  check_interrupt();
  pollfd waiting{descriptor_, POLLIN, 0};
  while (::poll(&waiting, 1, -1) < 0) {
    if (errno != EINTR) fail("read");
    check_interrupt();
  }
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
  if (count < 0 && errno == EAGAIN) return true;  // another process has read it
  if (count < 0) fail("read");
  text.append(buffer.data(), static_cast<std::size_t>(count));
  if (text.size() > most_input_bytes) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: a text of more than {} bytes is not read", name_, most_input_bytes));
  }
  return count > 0;
}

void Input::fail(const char* action) const {
  throw Error(ErrorKind::environment, fmt::format("{}: cannot {}: {}", name_, action, std::strerror(errno)));
}

}  // namespace monomorph::cli
