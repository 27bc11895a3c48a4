#include "runtime/cpu/control_groups.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace monomorph::cpu {
namespace {

/// Whether a list, separated by commas, has a name.
bool names(std::string_view list, std::string_view name) {
  return fmt::format(",{},", list).find(fmt::format(",{},", name)) != std::string::npos;
}

/// The process's group, by /proc/self/cgroup, whose lines are number:controllers:path; of version 2 no controllers are
/// named. Empty where it is the root, or there is none.
std::filesystem::path group_of(const std::filesystem::path& root, int version, std::string_view controller) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (version == 2 ? controllers.empty() : names(controllers, controller)) return line.substr(second + 1);
  }
  return "";
}

}  // namespace

std::vector<ControlGroup> control_groups(const std::filesystem::path& root, std::string_view controller) {
  std::vector<ControlGroup> groups;
  for (const int version : {1, 2}) {
    std::filesystem::path hierarchy = root / "sys/fs/cgroup";
    if (version == 1) hierarchy /= controller;
    std::filesystem::path group = group_of(root, version, controller).relative_path();
    for (;; group = group.parent_path()) {
      groups.push_back({version, hierarchy / group});
      if (group.empty()) break;
    }
  }
  return groups;
}

}  // namespace monomorph::cpu
