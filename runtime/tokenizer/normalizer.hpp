// Unicode normalisation form C (canonical composition, UAX #15), as Qwen's tokenizers ask for.
#pragma once

#include <string>
#include <string_view>

namespace monomorph {

/// `text` is UTF-8.
std::string normalize_nfc(std::string_view text);

}  // namespace monomorph
