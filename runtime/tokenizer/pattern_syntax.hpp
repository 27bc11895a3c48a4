// The hub's patterns are written for Oniguruma; PCRE2 reads them. Most of the syntax means the same in both. This
// translates what does not (\s, \w, \b over Unicode, \v, \u), and refuses by name what has no equal: a pattern that is
// accepted splits text the same way.
//
// Sources: https://github.com/kkos/oniguruma/blob/master/doc/RE, pcre2pattern(3).
#pragma once

#include <string>
#include <string_view>

namespace monomorph {

/// Throws Error(rejected) naming the construct and its place in the pattern.
std::string pcre2_of_oniguruma(std::string_view pattern);

}  // namespace monomorph
