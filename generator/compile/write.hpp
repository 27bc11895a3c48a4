// Writing an emitted directory: only what the generator wrote before is replaced or removed.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "generator/compile/spirv.hpp"
#include "generator/emit/emit.hpp"

namespace monomorph::generator {

/// The folder that emitted files go to, for one process at a time: made if need be, and locked while this lives. A
/// folder that was made and that nothing was written to is removed again.
class OutputFolder {
 public:
  /// Throws EnvironmentError where it cannot be made, is a file, or another process writes to it.
  explicit OutputFolder(const std::string& directory);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Writes `files` (and kernels/<name>.spv). All are written to a folder of their own within this one first and moved
  /// to their places when all are there, so that a full disk changes nothing; files whose bytes would not change are
  /// left alone, files of an earlier emission that are no longer emitted are removed; so is an executable that was
  /// linked from it, but not `executable` where nothing changes. A file in the way that is not from an earlier emission
  /// is an EnvironmentError. Interrupts wait until it is done.
  void write(const EmittedFiles& files, const std::map<std::string, CompiledKernel>& kernels,
             const std::string& executable = "");

  /// Throws EnvironmentError where something that is not ours stands where the executable is to stand.
  void require_place_for(const std::string& executable) const;
  /// Moves the program `linked` to its place. From then on it is ours to replace.
  void place(const std::string& executable, const std::filesystem::path& linked);

 private:
  std::filesystem::path path_;
  bool made_ = false;
  int lock_ = -1;
};

}  // namespace monomorph::generator
