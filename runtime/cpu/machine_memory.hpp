// What memory the machine has, and how much of it this process may take.
#pragma once

#include <cstdint>
#include <filesystem>

namespace monomorph::cpu {

/// Bytes. Available is what is free, or would be if the system dropped what it holds of files.
struct MachineMemory {
  std::int64_t total = 0, available = 0;
};

/// By /proc/meminfo and, since a container may be given less, by the limits of the process's control groups, of version
/// 1 or 2. 0 where the system does not say. `root` is where proc and sys stand.
MachineMemory machine_memory(const std::filesystem::path& root = "/");

}  // namespace monomorph::cpu
