#include "runtime/cpu/cores.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <string>

#include "runtime/cpu/machine_memory.hpp"
#include "runtime/cpu/system_files.hpp"

namespace monomorph::cpu {

std::int64_t usable_cores() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return 1;
  std::set<std::string> cores;  // by their threads: those of one core name the same list
  for (int thread = 0; thread < CPU_SETSIZE; ++thread) {
    if (!CPU_ISSET(thread, &usable)) continue;
    std::ifstream in(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", thread));
    std::string siblings;
    if (!std::getline(in, siblings)) siblings = std::to_string(thread);
    cores.insert(siblings);
  }
  return std::max<std::int64_t>(1, std::ssize(cores));
}

DeviceInfo describe_processor() {
  constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  DeviceInfo info;
  info.backend = info.name = "cpu";
  info.type = DeviceType::processor;
  const std::string model = line_of("/proc/cpuinfo", "model name");
  const std::int64_t cores = usable_cores();
  info.driver = fmt::format("{}, {} core{}", model.empty() ? "a processor" : model, cores, cores == 1 ? "" : "s");
  info.subgroup_size = 1;
  info.memory_budget = true;
  const MachineMemory memory = machine_memory();
  info.heaps = {{memory.total, memory.available, true}};
  info.limits.max_storage_buffer_range = unlimited;
  info.limits.max_allocation_size = unlimited;
  info.limits.storage_offset_alignment = 1;
  return info;
}

}  // namespace monomorph::cpu
