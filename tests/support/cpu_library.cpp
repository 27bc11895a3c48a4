#include "tests/support/cpu_library.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "generator/emit/emit.hpp"
#include "runtime/cpu/levels/levels.hpp"
#include "runtime/cpu/levels/row_loops.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::test {
namespace {

/// The loops of every format: named here, so that they are linked, whichever the kernels of a plan name.
bool has_all_loops(const cpu::Level& level) {
  bool all = true;
#define MONOMORPH_NAME(format, reader) all = all && cpu::row_loops<cpu::RowFormat::format>(level).multiply != nullptr;
  MONOMORPH_ROW_FORMATS(MONOMORPH_NAME)
#undef MONOMORPH_NAME
  return all;
}

}  // namespace

CpuLibrary::CpuLibrary(const generator::Plan& plan) {
  if (!has_all_loops(cpu::best_level())) throw std::runtime_error("a level has no loops for a format");
  const tests::TemporaryDirectory directory;
  const std::string source = directory.write("cpu.cpp", generator::emit_cpu_kernels(plan, "planned", "By a test."));
  const std::string library = (directory.path() / "libplanned.so").string();
  const tests::CommandResult compiled =
      tests::run_command({MONOMORPH_ENGINE_COMPILER, "-std=c++20", "-O0", "-w", "-ffp-contract=off", "-fopenmp-simd",
                          "-shared", "-fPIC", "-I", MONOMORPH_SOURCE_DIR, source, "-o", library});
  if (compiled.status != 0) throw std::runtime_error(compiled.output);
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  const void* const table = dlsym(library_, "_ZN7planned11cpu_kernelsE");
  if (table == nullptr) throw std::runtime_error(dlerror());
  kernels_ = {static_cast<const cpu::Function*>(table), plan.kernels.size()};
}

CpuLibrary::~CpuLibrary() { dlclose(library_); }

}  // namespace monomorph::test
