#include "runtime/cpu/cores.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <string>

namespace monomorph::cpu {
namespace {

/// What a file says after `key`, up to the end of its line; empty where it does not.
std::string line_of(const char* path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::int64_t memory_of(const std::string& key) {
  const std::string kilobytes = line_of("/proc/meminfo", key);
  return kilobytes.empty() ? 0 : std::stoll(kilobytes) * 1024;
}

}  // namespace

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
  info.heaps = {{memory_of("MemTotal"), memory_of("MemAvailable"), true}};
  info.limits.max_storage_buffer_range = unlimited;
  info.limits.max_allocation_size = unlimited;
  info.limits.storage_offset_alignment = 1;
  return info;
}

}  // namespace monomorph::cpu
