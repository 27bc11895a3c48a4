// The control groups that this process is in: a container is one, and so may be what a service manager starts.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace monomorph::cpu {

/// A directory whose files say what a group may take, with names of version 1 or 2.
struct ControlGroup {
  int version;
  std::filesystem::path directory;
};

/// Of a controller, such as memory: the process's own group and all around it, whose limits hold as well. In a
/// container the root may be the group itself, whatever it is called. `root` is where proc and sys stand.
std::vector<ControlGroup> control_groups(const std::filesystem::path& root, std::string_view controller);

}  // namespace monomorph::cpu
