#include "runtime/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/output.hpp"

namespace monomorph::cli {

std::string progress_bar(std::int64_t done, std::int64_t total, int width) {
  const double share = total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 1.0;
  const auto filled = static_cast<std::size_t>(share * width);
  return fmt::format("[{}{}] {:3.0f}%", std::string(filled, '#'),
                     std::string(static_cast<std::size_t>(width) - filled, '.'), share * 100);
}

Progress::Progress(std::string what, Shows shows)
    : what_(std::move(what)),
      shows_(shows),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (drawn_) print_error("\r\x1b[K");
}

void Progress::update(std::int64_t done, std::int64_t total) {
  check_interrupt();
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  const std::string shown = shows_ == Shows::share ? progress_bar(done, total, 30) : fmt::format("{}/{}", done, total);
  print_error(fmt::format("\r{} {}\x1b[K", what_, shown));
}

}  // namespace monomorph::cli
