// A file that appears whole or not at all: bytes go to a temporary file beside the target, which takes the target's
// place (fsync, rename) on commit. Uncommitted, it is removed. Every failure is an Error(environment) that names the
// file and the system's reason. A target that is no regular file (a pipe, /dev/stdout) is written directly.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace monomorph {

class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Nothing may be written afterwards.
  void commit();

 private:
  [[noreturn]] void fail(const char* action);
  void discard() noexcept;

  std::filesystem::path path_;    ///< as the caller named it, for messages
  std::filesystem::path target_;  ///< with symbolic links resolved, so that a link stays a link
  std::string temporary_;         ///< "": written directly
  int descriptor_ = -1;
};

/// The whole file at once.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace monomorph
