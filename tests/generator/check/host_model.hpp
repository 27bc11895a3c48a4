// The models that the cases of tests/cases/host are written against, emitted from the specs there.
#pragma once

#include <string>
#include <vector>

namespace monomorph::test {

struct HostModel {
  std::string name;
  std::string include_dir;  ///< holds <name>/model.hpp and the others as long as the process runs
  std::string spec_hash;

  /// Of the model and of the runtime.
  std::vector<std::string> include_dirs() const;
  /// The same as flags of a compiler.
  std::vector<std::string> include_flags() const;
  /// The text of a header: "model.hpp".
  std::string header(const std::string& file) const;
};

/// From tests/cases/host/<name>.toml; emitted once in a process.
const HostModel& host_model(const std::string& name = "tiny");

}  // namespace monomorph::test
