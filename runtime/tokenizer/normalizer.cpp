#include "runtime/tokenizer/normalizer.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "runtime/engine.hpp"

namespace monomorph {

std::string normalize_nfc(std::string_view text) {
  // Composition is the identity on ASCII, which most text is.
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return std::string(text);
  }
  utf8proc_uint8_t* composed = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &composed, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  if (length < 0) {
    throw Error(ErrorKind::internal, fmt::format("utf8proc cannot normalise a text: {}", utf8proc_errmsg(length)));
  }
  return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length)};
}

}  // namespace monomorph
