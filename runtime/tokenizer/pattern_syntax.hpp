// The hub's patterns are written for Oniguruma; PCRE2 reads them. Most of the syntax means the same in both. This
// translates what does not (\s, \w, \b over Unicode, \v, \u, scripts, classes of classes), and refuses by name what has
// no equal: a pattern that is accepted splits text the same way.
//
// Sources: https://github.com/kkos/oniguruma/blob/master/doc/RE, pcre2pattern(3).
#pragma once

#include <string>
#include <string_view>

namespace monomorph {

/// Between the brackets of a class: what \w is for Rust's regex crate, which the `tokenizers` library uses for its own.
inline constexpr std::string_view rust_word = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}";

/// Throws Error(rejected) naming the construct and its place in the pattern.
std::string pcre2_of_oniguruma(std::string_view pattern);

}  // namespace monomorph
