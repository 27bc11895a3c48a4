// A file, or standard input, read piece by piece; Ctrl-C is heard while it is waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace monomorph::cli {

// Far beyond what any sequence holds: an input without an end is refused before the memory is full.
inline constexpr std::size_t most_input_bytes = std::size_t{64} << 20;

class Input {
 public:
  /// "-": standard input, which is not closed. Throws Error(environment) for what cannot be opened.
  explicit Input(const std::string& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& name() const { return name_; }
  /// Of a file that has one; nothing for a pipe or a terminal.
  std::optional<std::int64_t> bytes() const;

  /// Whether `read` returns at once.
  bool ready() const;

  /// Appends what there is to read; false at the end. Throws Error(environment), Error(rejected) where `text` is
  /// longer than any input is, and Interrupted after Ctrl-C.
  bool read(std::string& text);

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string name_;
  int descriptor_;
};

}  // namespace monomorph::cli
