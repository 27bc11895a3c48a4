// Python's str, by code points. Texts are valid UTF-8. Classes and cases of characters are utf8proc's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace monomorph::chat {

std::u32string code_points(std::string_view text);
std::string utf8(std::u32string_view points);

bool is_space(char32_t point);
bool is_printable(char32_t point);  ///< as repr asks

/// `text` with every decimal digit of Unicode's as the one of ASCII.
std::string with_ascii_digits(std::string_view text);

std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string title(std::string_view text);       ///< str.title
std::string capitalize(std::string_view text);  ///< str.capitalize

/// `text` without the characters for which `drop` is true, at the sides that are named.
std::string stripped(std::string_view text, const std::function<bool(char32_t)>& drop, bool left, bool right);
/// At white space, where there is some; what is left is one word after `most` cuts (-1: all).
std::vector<std::string> split_at_space(std::string_view text, std::int64_t most, bool from_right);
/// At `separator`, which is not empty.
std::vector<std::string> split_at(std::string_view text, std::string_view separator, std::int64_t most,
                                  bool from_right);
std::vector<std::string> split_lines(std::string_view text, bool keep_ends = false);
/// The first `most` places of `from` alone; -1: all.
std::string replaced(std::string_view text, std::string_view from, std::string_view to, std::int64_t most);

/// str.isalpha, isdigit, ...: whether there is a character and all are of the class `name`.
bool all_are(std::string_view name, std::string_view text);

}  // namespace monomorph::chat
