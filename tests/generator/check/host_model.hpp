// The model that the cases of tests/cases/host are written against, emitted from tests/cases/host/tiny.toml.
#pragma once

#include <string>
#include <vector>

namespace monomorph::test {

struct HostModel {
  std::string include_dir;  ///< holds tiny/model.hpp and the others as long as the process runs
  std::string spec_hash;

  /// Of the model and of the runtime.
  std::vector<std::string> include_dirs() const;
  /// The same as flags of a compiler.
  std::vector<std::string> include_flags() const;
  /// The text of tiny/<name>.
  std::string header(const std::string& name) const;
};

/// Emitted once in a process.
const HostModel& host_model();

}  // namespace monomorph::test
