#include "runtime/tokenizer/byte_alphabet.hpp"

#include <array>

#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

constexpr std::size_t alphabet_end = 0x144;  // 256 + the 68 bytes that are not printable

/// Byte of each character below alphabet_end, or -1.
constexpr std::array<short, alphabet_end> make_bytes() {
  std::array<short, alphabet_end> bytes{};
  bytes.fill(-1);
  std::size_t next = 256;
  for (short byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    bytes[printable ? static_cast<std::size_t>(byte) : next++] = byte;
  }
  return bytes;
}
constexpr auto byte_of = make_bytes();
static_assert(byte_of[0x120] == ' ' && byte_of[alphabet_end - 1] == 0xad);

}  // namespace

std::optional<std::string> bytes_of_alphabet(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    std::size_t length = 0;
    const char32_t point = utf8_code_point(text, length);
    if (point >= alphabet_end || byte_of[point] < 0) return std::nullopt;
    bytes += static_cast<char>(byte_of[point]);
    text.remove_prefix(length);
  }
  return bytes;
}

std::string alphabet_of_bytes(std::string_view bytes) {
  static const std::array<std::string, 256> characters = [] {
    std::array<std::string, 256> result;
    for (std::size_t point = 0; point < alphabet_end; ++point) {
      if (byte_of[point] >= 0)
        append_utf8(static_cast<char32_t>(point), result[static_cast<std::size_t>(byte_of[point])]);
    }
    return result;
  }();
  std::string text;
  for (const char byte : bytes) text += characters[static_cast<unsigned char>(byte)];
  return text;
}

}  // namespace monomorph
