// What a level computes whatever the format of rows. Compiled for one level, MONOMORPH_LEVEL, with flags of its own:
// everything but its table and what its other units call is unnamed, so that the linker cannot take a function of one
// level for that of another.
#pragma once

#include "runtime/cpu/levels/digits.hpp"
#include "runtime/cpu/levels/exponentials.hpp"
#include "runtime/cpu/levels/panels.hpp"

#define MONOMORPH_TEXT_OF(name) #name
#define MONOMORPH_NAME_OF(level) MONOMORPH_TEXT_OF(level)

namespace monomorph::cpu::MONOMORPH_LEVEL {

extern const Level level;
constinit const Level level = {
    .name = MONOMORPH_NAME_OF(MONOMORPH_LEVEL),
#ifdef MONOMORPH_DIGITS
    .cut_into_digits = cut_into_digits,
#else
    .cut_into_digits = nullptr,
#endif
    .pack = pack,
    .exponentials = exponentials,
};

void add_panel_products(const PanelProducts& of) { add_tiles(of); }

}  // namespace monomorph::cpu::MONOMORPH_LEVEL
