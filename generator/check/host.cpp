#include "generator/check/host.hpp"
#include "generator/clang/clang.hpp"

namespace monomorph::generator {

Diagnostics check_host_file(const std::string& spec_hash, const std::vector<std::string>& include_dirs,
                            const std::string& file, const std::vector<std::string>& flags) {
  HostCheck check;
  check.input.path = file;
  check.input.flags = flags;
  check.include_dirs = include_dirs;
  check.spec_hash = spec_hash;
  return check_host(check);
}

}  // namespace monomorph::generator
