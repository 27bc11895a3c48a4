// A file's bytes, mapped read-only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace monomorph {

class MappedFile {
 public:
  /// Throws Error(environment) for what is no regular file or cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Hints to the system: these bytes of a mapping are read next; they are not read again soon.
void advise_mapping(std::span<const std::byte> bytes, bool needed);

}  // namespace monomorph
