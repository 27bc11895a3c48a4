#include "runtime/cli/prompt_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/cli/interrupt.hpp"
#include "runtime/engine.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph::cli {
namespace {

// Far beyond what any sequence holds: an input without an end is refused before the memory is full.
constexpr std::size_t most_bytes = std::size_t{64} << 20;

/// A file, or standard input, which is not this program's to close.
class Input {
 public:
  explicit Input(const std::string& path)
      : name_(path == "-" ? "standard input" : path),
        descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail("open");
  }
  ~Input() {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& name() const { return name_; }

  /// Appends what there is to read; false at the end.
  bool read(std::string& text) {
    pollfd waiting{descriptor_, POLLIN, 0};
    while (::poll(&waiting, 1, -1) < 0) {
      if (errno != EINTR) fail("read");
      check_interrupt();
    }
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count < 0) fail("read");
    text.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

 private:
  [[noreturn]] void fail(const char* action) const {
    throw Error(ErrorKind::environment, fmt::format("{}: cannot {}: {}", name_, action, std::strerror(errno)));
  }

  std::string name_;
  int descriptor_;
};

}  // namespace

std::string read_prompt_file(const std::string& path) {
  Input input(path);
  std::string text;
  while (input.read(text)) {
    if (text.size() > most_bytes) {
      throw Error(ErrorKind::rejected,
                  fmt::format("{}: a prompt of more than {} bytes is not read", input.name(), most_bytes));
    }
  }
  if (const std::size_t error = utf8_error(text); error != std::string_view::npos) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: the text is not UTF-8 at byte {}; convert it first", input.name(), error));
  }
  return text;
}

}  // namespace monomorph::cli
