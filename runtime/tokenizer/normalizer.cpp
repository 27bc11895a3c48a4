#include "runtime/tokenizer/normalizer.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// What `write` makes of each character: it is given the code point, the character, and where to append.
template <class Write>
std::string each_character(std::string_view text, Write write) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
    const char32_t point = utf8_code_point(text.substr(at), length);
    write(static_cast<utf8proc_int32_t>(point), text.substr(at, length), result);
  }
  return result;
}

bool is_chinese(utf8proc_int32_t point) {
  static constexpr std::pair<utf8proc_int32_t, utf8proc_int32_t> ranges[] = {
      {0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df}, {0x2a700, 0x2b73f},
      {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf}, {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};
  return std::ranges::any_of(ranges, [&](const auto& range) { return point >= range.first && point <= range.second; });
}

/// Unicode's White_Space.
bool is_white_space(char32_t point) {
  return (point >= '\t' && point <= '\r') || point == ' ' || point == 0x85 || point == 0xa0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 || point == 0x202f ||
         point == 0x205f || point == 0x3000;
}

}  // namespace

std::string to_form(UnicodeForm form, std::string_view text) {
  if (is_ascii(text)) return std::string(text);  // most texts; each form of it is itself
  const bool composed = form == UnicodeForm::nfc || form == UnicodeForm::nfkc;
  const bool compatible = form == UnicodeForm::nfkc || form == UnicodeForm::nfkd;
  const int options =
      UTF8PROC_STABLE | (composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) | (compatible ? UTF8PROC_COMPAT : 0);
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &result, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  if (length < 0) {
    throw Error(ErrorKind::internal, fmt::format("utf8proc cannot normalise a text: {}", utf8proc_errmsg(length)));
  }
  return {reinterpret_cast<const char*>(result), static_cast<std::size_t>(length)};
}

std::string lowercase(std::string_view text) {
  return each_character(text, [](utf8proc_int32_t point, std::string_view, std::string& result) {
    append_utf8(static_cast<char32_t>(utf8proc_tolower(point)), result);
    if (point == 0x130) append_utf8(0x307, result);  // the one character whose lower case is two
  });
}

std::string replace_all(const Pattern& pattern, std::string_view content, std::string_view text) {
  if (text.empty()) return "";  // even where the pattern matches nothing, as in the library
  std::string result;
  std::size_t done = 0;
  for (const Pattern::Match match : pattern.find_all(text)) {
    result.append(text.substr(done, match.begin - done)).append(content);
    done = match.end;
  }
  return result.append(text.substr(done));
}

std::string strip_space(bool left, bool right, std::string_view text) {
  std::size_t length = 0;
  while (left && !text.empty() && is_white_space(utf8_code_point(text, length))) text.remove_prefix(length);
  while (right && !text.empty()) {
    std::size_t begin = text.size() - 1;
    while ((text[begin] & 0xc0) == 0x80) --begin;
    if (!is_white_space(utf8_code_point(text.substr(begin), length))) break;
    text.remove_suffix(length);
  }
  return std::string(text);
}

std::string remove_marks(Marks marks, std::string_view text) {
  return each_character(text, [&](utf8proc_int32_t point, std::string_view character, std::string& result) {
    const utf8proc_category_t category = utf8proc_category(point);
    const bool other = category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
    if (category != UTF8PROC_CATEGORY_MN && !(other && marks == Marks::all)) result += character;
  });
}

std::string clean_text(std::string_view text) {
  return each_character(text, [](utf8proc_int32_t point, std::string_view character, std::string& result) {
    const utf8proc_category_t category = utf8proc_category(point);
    const bool control =
        category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CO;
    if (point == '\t' || point == '\n' || point == '\r') {
      result += ' ';
    } else if (!control && point != 0xfffd) {
      result += is_white_space(static_cast<char32_t>(point)) ? " " : character;
    }
  });
}

std::string separate_chinese(std::string_view text) {
  return each_character(text, [](utf8proc_int32_t point, std::string_view character, std::string& result) {
    if (is_chinese(point)) {
      result.append(1, ' ').append(character).append(1, ' ');
    } else {
      result += character;
    }
  });
}

std::string normalize(const std::vector<NormalizerStep>& steps, std::string_view text) {
  std::string result(text);
  for (const NormalizerStep& step : steps) result = step(result);
  return result;
}

}  // namespace monomorph
