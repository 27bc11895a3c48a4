#include "runtime/chat/text.hpp"

#include <utf8proc.h>

#include <algorithm>

#include "runtime/chat/value.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph::chat {
namespace {

utf8proc_category_t category(char32_t point) { return utf8proc_category(static_cast<utf8proc_int32_t>(point)); }

bool is_letter(char32_t point) {
  const utf8proc_category_t kind = category(point);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_lower(char32_t point) {
  return category(point) == UTF8PROC_CATEGORY_LL || utf8proc_islower(static_cast<utf8proc_int32_t>(point)) != 0 ||
         point == U'\u00AA' || point == U'\u00BA';
}

bool is_upper(char32_t point) {
  return category(point) == UTF8PROC_CATEGORY_LU || utf8proc_isupper(static_cast<utf8proc_int32_t>(point)) != 0;
}

bool is_cased(char32_t point) { return is_lower(point) || is_upper(point) || category(point) == UTF8PROC_CATEGORY_LT; }

/// What may stand between the letters of a word (Unicode's Case_Ignorable, as far as categories tell).
bool is_case_ignorable(char32_t point) {
  switch (category(point)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return std::u32string_view(U"'.:\u00B7\u2018\u2019\u2024\u2027").find(point) != std::u32string_view::npos;
  }
}

/// What the character becomes where cases are folded, which for a ligature is several.
std::u32string folded(char32_t point) {
  utf8proc_int32_t result[8];
  const utf8proc_ssize_t length =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), result, 8, UTF8PROC_CASEFOLD, nullptr);
  std::u32string text;
  for (utf8proc_ssize_t i = 0; i < length && i < 8; ++i) text += static_cast<char32_t>(result[i]);
  return text;
}

char32_t simple_upper(char32_t point) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(point)));
}

/// The full mapping: a small letter that is folded to several has as many capitals.
void append_upper(char32_t point, std::u32string& result) {
  const utf8proc_category_t kind = category(point);
  if (kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LT) {
    if (const std::u32string several = folded(point); several.size() > 1) {
      for (const char32_t part : several) result += simple_upper(part);
      return;
    }
  }
  result += simple_upper(point);
}

void append_title(char32_t point, std::u32string& result) {
  const auto simple = static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(point)));
  const std::u32string several = folded(point);
  if (simple != point || category(point) != UTF8PROC_CATEGORY_LL || several.size() < 2) {
    result += simple;
    return;
  }
  // The one whose first part is no letter with cases: its second is the capital.
  const std::size_t capital = point == U'\u0149' ? 1 : 0;
  for (std::size_t i = 0; i < several.size(); ++i) result += i == capital ? simple_upper(several[i]) : several[i];
}

/// A capital sigma at the end of a word has a form of its own.
bool is_final_sigma(const std::u32string& text, std::size_t at) {
  std::size_t before = at, after = at + 1;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return before > 0 && is_cased(text[before - 1]) && !(after < text.size() && is_cased(text[after]));
}

void append_lower(const std::u32string& text, std::size_t at, std::u32string& result) {
  const char32_t point = text[at];
  if (point == U'\u03A3') {
    result += is_final_sigma(text, at) ? U'\u03C2' : U'\u03C3';
  } else if (point == U'\u0130') {
    result += U"i\u0307";
  } else {
    result += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
  }
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
    points += utf8_code_point(text.substr(at), length);
  }
  return points;
}

std::string utf8(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) append_utf8(point, text);
  return text;
}

bool is_space(char32_t point) {
  return (point >= 0x09 && point <= 0x0D) || (point >= 0x1C && point <= 0x20) || point == 0x85 ||
         (point >= 0x80 && (category(point) == UTF8PROC_CATEGORY_ZS || category(point) == UTF8PROC_CATEGORY_ZL ||
                            category(point) == UTF8PROC_CATEGORY_ZP));
}

bool is_printable(char32_t point) {
  switch (category(point)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    case UTF8PROC_CATEGORY_ZS:
      return point == U' ';
    default:
      return true;
  }
}

std::string with_ascii_digits(std::string_view text) {
  std::u32string points = code_points(text);
  for (char32_t& point : points) {
    if (category(point) != UTF8PROC_CATEGORY_ND) continue;
    // Digits stand in tens, one after another.
    char32_t before = 0;
    while (category(point - before - 1) == UTF8PROC_CATEGORY_ND) ++before;
    point = U'0' + before % 10;
  }
  return utf8(points);
}

std::string upper(std::string_view text) {
  std::u32string result;
  for (const char32_t point : code_points(text)) append_upper(point, result);
  return utf8(result);
}

std::string lower(std::string_view text) {
  const std::u32string points = code_points(text);
  std::u32string result;
  for (std::size_t at = 0; at < points.size(); ++at) append_lower(points, at, result);
  return utf8(result);
}

std::string title(std::string_view text) {
  const std::u32string points = code_points(text);
  std::u32string result;
  for (std::size_t at = 0; at < points.size(); ++at) {
    if (at > 0 && is_cased(points[at - 1])) {
      append_lower(points, at, result);
    } else {
      append_title(points[at], result);
    }
  }
  return utf8(result);
}

std::string capitalize(std::string_view text) {
  const std::u32string points = code_points(text);
  std::u32string result;
  if (!points.empty()) append_title(points[0], result);
  for (std::size_t at = 1; at < points.size(); ++at) append_lower(points, at, result);
  return utf8(result);
}

std::string stripped(std::string_view text, const std::function<bool(char32_t)>& drop, bool left, bool right) {
  const std::u32string points = code_points(text);
  std::size_t begin = 0, end = points.size();
  while (left && begin < end && drop(points[begin])) ++begin;
  while (right && begin < end && drop(points[end - 1])) --end;
  return utf8(std::u32string_view(points).substr(begin, end - begin));
}

std::vector<std::string> split_at_space(std::string_view text, std::int64_t most, bool from_right) {
  std::u32string points = code_points(text);
  if (from_right) std::reverse(points.begin(), points.end());
  std::vector<std::string> words;
  const auto add = [&](std::u32string word) {
    if (from_right) std::reverse(word.begin(), word.end());
    words.push_back(utf8(word));
  };
  std::size_t at = 0;
  while (true) {
    while (at < points.size() && is_space(points[at])) ++at;
    if (at == points.size()) break;
    if (most >= 0 && static_cast<std::int64_t>(words.size()) == most) {
      add(points.substr(at));
      break;
    }
    const std::size_t begin = at;
    while (at < points.size() && !is_space(points[at])) ++at;
    add(points.substr(begin, at - begin));
  }
  if (from_right) std::reverse(words.begin(), words.end());
  return words;
}

std::vector<std::string> split_at(std::string_view text, std::string_view separator, std::int64_t most,
                                  bool from_right) {
  std::vector<std::string> parts;
  while (most < 0 || static_cast<std::int64_t>(parts.size()) < most) {
    const std::size_t at = from_right ? text.rfind(separator) : text.find(separator);
    if (at == std::string_view::npos) break;
    parts.emplace_back(from_right ? text.substr(at + separator.size()) : text.substr(0, at));
    text = from_right ? text.substr(0, at) : text.substr(at + separator.size());
  }
  parts.emplace_back(text);
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
    const char32_t point = utf8_code_point(text.substr(at), length);
    const bool ends = (point >= 0x0A && point <= 0x0D) || (point >= 0x1C && point <= 0x1E) || point == 0x85 ||
                      point == 0x2028 || point == 0x2029;
    if (!ends) continue;
    const std::size_t end = at;
    if (point == U'\r' && text.substr(at + 1).starts_with('\n')) length = 2;
    lines.emplace_back(text.substr(begin, (keep_ends ? at + length : end) - begin));
    begin = at + length;
  }
  if (begin < text.size()) lines.emplace_back(text.substr(begin));
  return lines;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to, std::int64_t most) {
  std::string result;
  std::size_t at = 0;
  for (std::int64_t count = 0; most < 0 || count < most; ++count) {
    if (from.empty()) {  // before every character, and at the end
      result += to;
      if (at == text.size()) return result;
      std::size_t length = 0;
      utf8_code_point(text.substr(at), length);
      result += text.substr(at, length);
      at += length;
      continue;
    }
    const std::size_t found = text.find(from, at);
    if (found == std::string_view::npos) break;
    result += text.substr(at, found - at);
    result += to;
    at = found + from.size();
  }
  return result += text.substr(at);
}

bool all_are(std::string_view name, std::string_view text) {
  const std::u32string points = code_points(text);
  const auto all = [&](auto is) { return !points.empty() && std::all_of(points.begin(), points.end(), is); };
  const auto any = [&](auto is) { return std::any_of(points.begin(), points.end(), is); };
  const auto titled = [](char32_t point) { return category(point) == UTF8PROC_CATEGORY_LT; };
  if (name == "isspace") return all(is_space);
  if (name == "isalpha") return all(is_letter);
  if (name == "isascii") return points.empty() || all([](char32_t point) { return point < 0x80; });
  if (name == "isupper") return any(is_upper) && !any(is_lower) && !any(titled);
  if (name == "islower") return any(is_lower) && !any(is_upper) && !any(titled);
  if (name == "isdecimal") return all([](char32_t point) { return category(point) == UTF8PROC_CATEGORY_ND; });
  const bool other = any([](char32_t point) {
    return category(point) == UTF8PROC_CATEGORY_NO || category(point) == UTF8PROC_CATEGORY_NL;
  });
  // utf8proc does not tell which of these are digits.
  if (other && name == "isdigit") fail("isdigit of a character that is a number, but no decimal digit");
  if (name == "isdigit") return all([](char32_t point) { return category(point) == UTF8PROC_CATEGORY_ND; });
  return all([](char32_t point) {
    return is_letter(point) || (category(point) >= UTF8PROC_CATEGORY_ND && category(point) <= UTF8PROC_CATEGORY_NO);
  });
}

}  // namespace monomorph::chat
