#include "runtime/cpu/levels/unit.hpp"

namespace monomorph::cpu {

extern const Level aarch64;
constinit const Level aarch64 = this_level("aarch64");

}  // namespace monomorph::cpu
