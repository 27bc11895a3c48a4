// Reads tests/cases/host: the files, and what is expected of their lines.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace monomorph::test {

struct HostCase {
  std::string path;
  std::string model = "tiny";                         ///< the spec that it is written against
  std::vector<std::pair<int, std::string>> expected;  ///< line and sentence, in order
};

/// The .cpp files of tests/cases/host/<folder>, sorted.
std::vector<HostCase> host_cases(const std::string& folder);

}  // namespace monomorph::test
