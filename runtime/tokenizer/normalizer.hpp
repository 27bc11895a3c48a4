// Unicode normalisation form C (canonical composition, UAX #15), as Qwen's tokenizers ask for.
#pragma once

#include <string>
#include <string_view>

namespace monomorph {

/// `text` is UTF-8. By utf8proc's Unicode tables (15.0 in Debian 12); the `tokenizers` library leaves combining
/// marks assigned since 13.0 where they stand.
std::string normalize_nfc(std::string_view text);

}  // namespace monomorph
