#include "runtime/cpu/levels/unit.hpp"

namespace monomorph::cpu {

extern const Level x86_64_v4;
constinit const Level x86_64_v4 = this_level("x86-64-v4");

}  // namespace monomorph::cpu
