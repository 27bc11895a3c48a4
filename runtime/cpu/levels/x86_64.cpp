#include "runtime/cpu/levels/unit.hpp"

namespace monomorph::cpu {

extern const Level x86_64;
constinit const Level x86_64 = this_level("x86-64");

}  // namespace monomorph::cpu
