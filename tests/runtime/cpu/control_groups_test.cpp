// What memory and how many processors a process may take: by the machine's word, and by the limits of its control
// groups.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "runtime/cpu/cores.hpp"
#include "runtime/cpu/machine_memory.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::cpu;

namespace {

/// A system's files, of a machine with 8,000 KiB of which 6,000 are available.
class System {
 public:
  System() { write("proc/meminfo", "MemTotal:        8000 kB\nMemFree:  10 kB\nMemAvailable:    6000 kB\n"); }
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = directory_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  MachineMemory memory() const { return machine_memory(directory_.path()); }
  std::optional<std::int64_t> processors() const { return processors_of_groups(directory_.path()); }

 private:
  tests::TemporaryDirectory directory_;
};

constexpr std::int64_t kibi = 1024;

}  // namespace

TEST_CASE("without control groups, memory is what the machine has") {
  const System system;
  CHECK(system.memory().total == 8000 * kibi);
  CHECK(system.memory().available == 6000 * kibi);
}

TEST_CASE("a control group's limit is what the process has, and pages of files in it may be dropped") {
  const System system;
  system.write("proc/self/cgroup", "0::/user/one\n");
  system.write("sys/fs/cgroup/user/one/memory.max", "max\n");
  system.write("sys/fs/cgroup/user/one/memory.current", "400000\n");
  CHECK(system.memory().available == 6000 * kibi);
  system.write("sys/fs/cgroup/user/memory.max", "1000000\n");  // of the group around it
  system.write("sys/fs/cgroup/user/memory.current", "700000\n");
  system.write("sys/fs/cgroup/user/memory.stat", "anon 500000\nfile 250000\nfile_mapped 7\nshmem 50000\n");
  CHECK(system.memory().total == 1000000);
  CHECK(system.memory().available == 500000);
  system.write("sys/fs/cgroup/user/memory.current", "1300000\n");
  CHECK(system.memory().available == 0);
}

TEST_CASE("groups of version 1 say the same by other names, and a container's root may be the group") {
  const System system;
  system.write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/docker/abc\n0::/\n");
  system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "3000000\n");
  system.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000\n");
  system.write("sys/fs/cgroup/memory/memory.stat", "cache 1\ntotal_cache 350000\ntotal_shmem 100000\n");
  CHECK(system.memory().total == 3000000);
  CHECK(system.memory().available == 2250000);
  system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(system.memory().available == 6000 * kibi);
}

TEST_CASE("where the system says nothing, there is nothing") {
  const tests::TemporaryDirectory directory;
  CHECK(machine_memory(directory.path()).total == 0);
  CHECK(machine_memory(directory.path()).available == 0);
}

TEST_CASE("control groups give a process the time of so many processors, of either version") {
  const System system;
  CHECK(!system.processors());
  system.write("proc/self/cgroup", "9:cpu,cpuacct:/docker/abc\n4:cpuset:/other\n0::/user/one\n");
  system.write("sys/fs/cgroup/user/one/cpu.max", "max 100000\n");
  CHECK(!system.processors());
  system.write("sys/fs/cgroup/user/cpu.max", "350000 100000\n");  // of the group around it
  CHECK(system.processors() == 4);
  system.write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "-1\n");
  system.write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  CHECK(system.processors() == 4);
  system.write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "50000\n");
  CHECK(system.processors() == 1);
}
