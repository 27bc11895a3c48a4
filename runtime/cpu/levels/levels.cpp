#include "runtime/cpu/levels/levels.hpp"

#include <iterator>

#include "runtime/cpu/levels/row_loops.hpp"
#include "runtime/formats/half.hpp"

namespace monomorph::cpu {

float f16_values[1 << 16];

namespace {

bool fill_f16_values() {
  for (std::uint32_t bits = 0; bits < std::size(f16_values); ++bits) {
    f16_values[bits] = f32_from_f16(static_cast<std::uint16_t>(bits));
  }
  return true;
}

}  // namespace

#if defined(__x86_64__)
static std::vector<const Level*> runnable() {
  std::vector<const Level*> levels = {&x86_64::level};
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v3")) levels.push_back(&x86_64_v3::level);
  if (__builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni")) levels.push_back(&x86_64_v4::level);
  return levels;
}
#else
static std::vector<const Level*> runnable() { return {&MONOMORPH_ONLY_LEVEL::level}; }
#endif

std::vector<const Level*> levels_here() {
  [[maybe_unused]] static const bool filled = fill_f16_values();
  return runnable();
}

const Level& best_level() {
  static const Level* const best = levels_here().back();
  return *best;
}

}  // namespace monomorph::cpu
