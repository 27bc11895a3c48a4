// The loops that a level has for rows of a format. Each is linked from a unit of its own: an engine has those of the
// formats that its kernels name, and no others.
#pragma once

#include "runtime/cpu/levels/level.hpp"

namespace monomorph::cpu {

/// Of a level that levels_here() gives.
template <RowFormat>
const RowLoops& row_loops(const Level& level) = delete;

#define MONOMORPH_DECLARE(format, reader) extern const RowLoops format;

#if defined(__x86_64__)

namespace x86_64 {
extern const Level level;
MONOMORPH_ROW_FORMATS(MONOMORPH_DECLARE)
}  // namespace x86_64
namespace x86_64_v3 {
extern const Level level;
MONOMORPH_ROW_FORMATS(MONOMORPH_DECLARE)
}  // namespace x86_64_v3
namespace x86_64_v4 {
extern const Level level;
MONOMORPH_ROW_FORMATS(MONOMORPH_DECLARE)
}  // namespace x86_64_v4
#define MONOMORPH_CHOOSE(format, reader)                                     \
  template <>                                                                \
  inline const RowLoops& row_loops<RowFormat::format>(const Level& level) {  \
    if (&level == &x86_64_v4::level) return x86_64_v4::format;               \
    return &level == &x86_64_v3::level ? x86_64_v3::format : x86_64::format; \
  }

#else

#if defined(__aarch64__)
#define MONOMORPH_ONLY_LEVEL aarch64
#else
#define MONOMORPH_ONLY_LEVEL portable
#endif
namespace MONOMORPH_ONLY_LEVEL {
extern const Level level;
MONOMORPH_ROW_FORMATS(MONOMORPH_DECLARE)
}  // namespace MONOMORPH_ONLY_LEVEL
#define MONOMORPH_CHOOSE(format, reader)                              \
  template <>                                                         \
  inline const RowLoops& row_loops<RowFormat::format>(const Level&) { \
    return MONOMORPH_ONLY_LEVEL::format;                              \
  }

#endif

MONOMORPH_ROW_FORMATS(MONOMORPH_CHOOSE)
#undef MONOMORPH_CHOOSE
#undef MONOMORPH_DECLARE

}  // namespace monomorph::cpu
