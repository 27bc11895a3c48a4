#include "runtime/cpu/machine_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "runtime/cpu/system_files.hpp"

namespace monomorph::cpu {
namespace {

/// How a version of control groups names things.
struct Groups {
  std::string_view of_process;  ///< what begins the group's path in /proc/self/cgroup, behind the hierarchy's number
  const char* directory;
  const char *limit, *used, *of_files;  ///< the last in memory.stat
};
constexpr Groups versions[] = {
    {":memory:", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache "},
    {"::", "sys/fs/cgroup", "memory.max", "memory.current", "file "},
};

/// The process's group; empty where it is the root, or there is none.
std::string group_of(const std::filesystem::path& list, std::string_view of_process) {
  std::ifstream in(list);
  for (std::string line; std::getline(in, line);) {
    const std::size_t number = line.find(':');
    if (number == std::string::npos || !std::string_view(line).substr(number).starts_with(of_process)) continue;
    return line.substr(number + of_process.size());
  }
  return "";
}

}  // namespace

MachineMemory machine_memory(const std::filesystem::path& root) {
  const std::filesystem::path information = root / "proc/meminfo";
  MachineMemory memory{number_of(information, "MemTotal").value_or(0) * 1024,
                       number_of(information, "MemAvailable").value_or(0) * 1024};
  for (const Groups& groups : versions) {
    // A group's limit holds for all below it. In a container the root may be the group itself, whatever it is called.
    std::filesystem::path group = group_of(root / "proc/self/cgroup", groups.of_process);
    for (group = group.relative_path();; group = group.parent_path()) {
      const std::filesystem::path at = root / groups.directory / group;
      const auto limit = number_of(at / groups.limit, ""), used = number_of(at / groups.used, "");
      if (limit && used) {
        const std::int64_t of_files = number_of(at / "memory.stat", groups.of_files).value_or(0);
        const std::int64_t left = std::max<std::int64_t>(*limit - *used + of_files, 0);
        memory = {std::min(memory.total, *limit), std::min(memory.available, left)};
      }
      if (group.empty()) break;
    }
  }
  return memory;
}

}  // namespace monomorph::cpu
