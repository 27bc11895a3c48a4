#include "runtime/cpu/cores.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/cpu/control_groups.hpp"
#include "runtime/cpu/machine_memory.hpp"
#include "runtime/cpu/system_files.hpp"

namespace monomorph::cpu {
namespace {

/// The processor's threads that this process may run on.
std::vector<int> usable_threads() {
  std::vector<int> usable;
  // Its set has as many members as the kernel may have processors, which it does not tell.
  for (int members = CPU_SETSIZE; members <= 64 * CPU_SETSIZE; members *= 2) {
    std::vector<cpu_set_t> set(static_cast<std::size_t>(members / CPU_SETSIZE));
    const std::size_t bytes = set.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) != 0) continue;
    for (int thread = 0; thread < members; ++thread) {
      if (CPU_ISSET_S(thread, bytes, set.data())) usable.push_back(thread);
    }
    break;
  }
  return usable;
}

/// How many processors' time a group has, rounded up: its files tell a quota of each period, in microseconds.
std::optional<std::int64_t> processors_of(const ControlGroup& group) {
  const std::filesystem::path& at = group.directory;
  std::istringstream both(group.version == 1
                              ? line_of(at / "cpu.cfs_quota_us", "") + ' ' + line_of(at / "cpu.cfs_period_us", "")
                              : line_of(at / "cpu.max", ""));
  std::int64_t quota = 0, period = 0;  // without a limit the quota is -1, or "max"
  if (!(both >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return (quota + period - 1) / period;
}

}  // namespace

std::optional<std::int64_t> processors_of_groups(const std::filesystem::path& root) {
  std::optional<std::int64_t> least;
  for (const ControlGroup& group : control_groups(root, "cpu")) {
    if (const auto processors = processors_of(group)) least = std::min(least.value_or(*processors), *processors);
  }
  return least;
}

std::int64_t usable_cores() {
  std::set<std::string> cores;  // by their threads: those of one core name the same list
  for (const int thread : usable_threads()) {
    std::ifstream in(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", thread));
    std::string siblings;
    if (!std::getline(in, siblings)) siblings = std::to_string(thread);
    cores.insert(siblings);
  }
  const std::int64_t all = std::max<std::int64_t>(1, std::ssize(cores));
  return std::min(all, processors_of_groups().value_or(all));
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
