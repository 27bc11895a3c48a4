// [import]: what import left out.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace monomorph::generator {

/// config.json keys that import was told to ignore: key and reason, kept so that the spec says so.
struct ImportSection {
  std::vector<std::pair<std::string, std::string>> ignored;
};

}  // namespace monomorph::generator
