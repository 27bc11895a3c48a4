// Progress on a terminal's standard error, from the first update on; in a pipe, nothing. Every update is also a point
// where Ctrl-C is heard.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace monomorph::cli {

class Progress {
 public:
  enum class Shows {
    share,  ///< a bar
    count,  ///< "3/16"
  };
  explicit Progress(std::string what, Shows shows = Shows::share);
  ~Progress();  ///< clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Throws Interrupted after Ctrl-C.
  void update(std::int64_t done, std::int64_t total);

 private:
  std::string what_;
  Shows shows_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

/// "[#####.....]" of `width` marks.
std::string progress_bar(std::int64_t done, std::int64_t total, int width);

}  // namespace monomorph::cli
