#include "runtime/tokenizer/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "runtime/error.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {

bool spell_in_bytes(std::string_view text, const ByteTokens& bytes, std::vector<std::int32_t>& tokens) {
  const auto token_of = [&](char byte) { return bytes[static_cast<unsigned char>(byte)]; };
  if (std::ranges::any_of(text, [&](char byte) { return token_of(byte) == no_token; })) return false;
  std::ranges::transform(text, std::back_inserter(tokens), token_of);
  return true;
}

void throw_unknown(std::string_view what) {
  std::string bytes;
  for (const char byte : what) bytes += fmt::format(" 0x{:02x}", static_cast<unsigned char>(byte));
  throw Error(ErrorKind::rejected, fmt::format("the tokenizer has no token for '{}' (bytes{}), and none for the "
                                               "unknown; leave this character out, or pass --tokens",
                                               utf8_error(what) == what.npos ? what : "?", bytes));
}

}  // namespace monomorph
