#include "runtime/cpu/machine_memory.hpp"

#include <algorithm>

#include "runtime/cpu/control_groups.hpp"
#include "runtime/cpu/system_files.hpp"

namespace monomorph::cpu {
namespace {

/// How a version of control groups names things.
struct Names {
  const char *limit, *used;
  const char *of_files, *shared;  ///< in memory.stat
};
constexpr Names names[] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache ", "total_shmem "},
    {"memory.max", "memory.current", "file ", "shmem "},
};

}  // namespace

MachineMemory machine_memory(const std::filesystem::path& root) {
  const std::filesystem::path information = root / "proc/meminfo";
  MachineMemory memory{number_of(information, "MemTotal").value_or(0) * 1024,
                       number_of(information, "MemAvailable").value_or(0) * 1024};
  for (const auto& [version, directory] : control_groups(root, "memory")) {
    const Names& name = names[version - 1];
    const auto limit = number_of(directory / name.limit, ""), used = number_of(directory / name.used, "");
    if (!limit || !used) continue;
    // Files that lie in memory alone are among those of which pages are held, and cannot be dropped.
    const std::filesystem::path statistics = directory / "memory.stat";
    const std::int64_t droppable =
        number_of(statistics, name.of_files).value_or(0) - number_of(statistics, name.shared).value_or(0);
    const std::int64_t left = std::max<std::int64_t>(*limit - *used + droppable, 0);
    memory = {std::min(memory.total, *limit), std::min(memory.available, left)};
  }
  return memory;
}

}  // namespace monomorph::cpu
