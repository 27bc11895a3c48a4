// A process at a terminal of its own, as somebody would use it: typed at, and read.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "tests/support/files.hpp"

namespace monomorph::tests {

class TerminalProcess {
 public:
  /// Runs `work` in a process of its own, whose standard output is the file `output`, or the terminal where that is
  /// empty.
  TerminalProcess(const std::function<int()>& work, const std::filesystem::path& output) : output_(output) {
    terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal_ < 0) return;
    if (::grantpt(terminal_) != 0 || ::unlockpt(terminal_) != 0) throw std::runtime_error("a terminal that is locked");
    const std::string name = ::ptsname(terminal_);
    std::fflush(nullptr);  // what is buffered would be written by both
    child_ = ::fork();
    if (child_ != 0) return;
    std::signal(SIGINT, SIG_DFL);  // the tests have taken it
    ::setsid();
    const int side = ::open(name.c_str(), O_RDWR);
    ::ioctl(side, TIOCSCTTY, 0);
    const winsize size{24, 200, 0, 0};
    ::ioctl(side, TIOCSWINSZ, &size);
    const int out = output.empty() ? side : ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(side, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(side, STDERR_FILENO);
    ::setenv("TERM", "vt100", 1);
    ::_exit(work());
  }
  ~TerminalProcess() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    if (terminal_ >= 0) ::close(terminal_);
  }
  TerminalProcess(const TerminalProcess&) = delete;
  TerminalProcess& operator=(const TerminalProcess&) = delete;

  /// False where the machine has no pseudo terminals, as in a bare chroot.
  bool runs() const { return child_ > 0; }
  pid_t process() const { return child_; }
  const std::string& shown() const { return shown_; }

  /// Whether what was typed stays where Ctrl-C sends a signal.
  bool keeps_input_at_signals() const {
    termios settings{};
    ::tcgetattr(terminal_, &settings);
    return (settings.c_lflag & NOFLSH) != 0;
  }
  void resize(unsigned short columns) {
    const winsize size{24, columns, 0, 0};
    ::ioctl(terminal_, TIOCSWINSZ, &size);
  }
  void type(const std::string& text) {
    if (::write(terminal_, text.data(), text.size()) < 0) throw std::runtime_error("a terminal that takes nothing");
  }
  /// Until the terminal has shown `text` after what was waited for before.
  bool wait_for(const std::string& text) {
    const bool seen = wait([&] { return shown_.find(text, seen_) != std::string::npos; });
    if (seen) seen_ = shown_.find(text, seen_) + text.size();
    return seen;
  }
  /// Until the output has so many bytes.
  bool wait_for_output(std::size_t bytes) {
    return wait([&] { return read_file(output_).size() >= bytes; });
  }
  /// As a shell has it.
  int status() {
    int status = 0;
    if (!wait([&] { return ::waitpid(child_, &status, WNOHANG) == child_; })) return -1;
    child_ = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  bool wait(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (true) {
      pollfd waiting{terminal_, POLLIN, 0};
      if (::poll(&waiting, 1, 5) > 0) {
        char buffer[4096];
        const ssize_t count = ::read(terminal_, buffer, sizeof buffer);
        if (count > 0) shown_.append(buffer, static_cast<std::size_t>(count));
        if (count <= 0) ::usleep(5000);
      }
      if (done()) return true;
      if (std::chrono::steady_clock::now() > end) return false;
    }
  }

  std::filesystem::path output_;
  int terminal_ = -1;
  pid_t child_ = -1;
  std::string shown_;
  std::size_t seen_ = 0;
};

}  // namespace monomorph::tests
