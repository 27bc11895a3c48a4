#include "runtime/cpu/levels/unit.hpp"

namespace monomorph::cpu {

extern const Level portable;
constinit const Level portable = this_level("portable");

}  // namespace monomorph::cpu
