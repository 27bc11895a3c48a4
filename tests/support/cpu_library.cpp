#include "tests/support/cpu_library.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "generator/emit/emit.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::test {

CpuLibrary::CpuLibrary(const generator::Plan& plan) {
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
