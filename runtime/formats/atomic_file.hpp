// A file that appears whole or not at all: bytes go to a temporary file beside the target, which takes the target's
// place (fsync, rename) on commit. Uncommitted, it is removed. Every failure is an Error(environment) that names the
// file and the system's reason. A target that is no regular file (a pipe, /dev/stdout) is written directly.
//
// A process that is killed leaves its temporary file. The next one that writes to the same target removes it: a writer
// holds a lock on its own, which ends with the process, whatever ended it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace monomorph {

class AtomicFile {
 public:
  /// `mode` is that of a file that is new, but for what the umask takes.
  explicit AtomicFile(std::filesystem::path path, ::mode_t mode = 0666);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// For a library that writes by itself.
  int descriptor() const { return descriptor_; }
  /// Nothing may be written afterwards.
  void commit();

 private:
  [[noreturn]] void fail(const char* action);
  void open_temporary(::mode_t mode);
  void discard() noexcept;

  std::filesystem::path path_;    ///< as the caller named it, for messages
  std::filesystem::path target_;  ///< with symbolic links resolved, so that a link stays a link
  std::string temporary_;         ///< "": written directly
  int descriptor_ = -1;
};

/// The whole file at once.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace monomorph
