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
#ifdef MONOMORPH_DIGITS
constinit const Level level = {MONOMORPH_NAME_OF(MONOMORPH_LEVEL), cut_into_digits, exponentials};
#else
constinit const Level level = {MONOMORPH_NAME_OF(MONOMORPH_LEVEL), nullptr, exponentials};
#endif

void multiply_panel(const Panel& of) {
  if (of.row_count == 1) return add_products_of<1>(of);
  add_products_of<tile_rows>(of);
}

}  // namespace monomorph::cpu::MONOMORPH_LEVEL
