#include "runtime/cpu/levels/unit.hpp"

namespace monomorph::cpu {

extern const Level x86_64_v3;
constinit const Level x86_64_v3 = this_level("x86-64-v3");

}  // namespace monomorph::cpu
