#include "runtime/tokenizer/pattern_syntax.hpp"

#include <fmt/format.h>

#include "runtime/engine.hpp"

namespace monomorph {
namespace {

// PCRE2's own \s counts U+180E as a space and its \w leaves out combining marks; Oniguruma follows Unicode.
constexpr std::string_view word = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}";

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string translate() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '\\') {
        escape();
      } else if (in_class_) {
        class_member();
      } else if (c == '[') {
        open_class();
      } else if (c == '(') {
        open_group();
      } else if (c == '{') {
        interval();
      } else {
        take(1);
      }
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(std::string_view construct) const {
    throw Error(ErrorKind::rejected,
                fmt::format("the pattern '{}' uses {} (at byte {}), which is not read", pattern_, construct, at_));
  }
  void take(std::size_t count) {
    result_ += pattern_.substr(at_, count);
    at_ += std::min(count, pattern_.size() - at_);
  }
  bool at(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  void replace(std::size_t count, std::string_view text) {
    result_ += text;
    at_ += count;
  }

  void escape() {
    if (at_ + 1 == pattern_.size()) refuse("a backslash at its end");
    const char c = pattern_[at_ + 1];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter) return take(2);
    const std::string in = std::string("[") + std::string(word) + "]";
    switch (c) {
      case 's':
        return replace(2, "\\p{White_Space}");
      case 'S':
        return replace(2, "\\P{White_Space}");
      case 'w':
        return replace(2, in_class_ ? word : std::string_view(in));
      case 'W':
        if (in_class_) refuse("\\W in a class");
        return replace(2, "[^" + in.substr(1));
      case 'b':
        if (in_class_) return replace(2, "\\x08");
        return replace(2, fmt::format("(?:(?<={0})(?!{0})|(?<!{0})(?={0}))", in));
      case 'B':
        if (in_class_) refuse("\\B in a class");
        return replace(2, fmt::format("(?:(?<={0})(?={0})|(?<!{0})(?!{0}))", in));
      case 'v':
        return replace(2, "\\x0b");
      case 'u': {
        const std::string_view digits = pattern_.substr(at_ + 2, 4);
        if (digits.size() < 4) refuse("\\u without four digits");
        return replace(6, fmt::format("\\x{{{}}}", digits));
      }
      case 'p':
      case 'P': {
        const auto end = pattern_.find('}', at_);
        if (pattern_.substr(at_ + 2, 1) != "{" || end == std::string_view::npos) refuse("\\p without braces");
        return take(end + 1 - at_);
      }
      case 'x': {
        const auto end = pattern_.find('}', at_);
        if (pattern_.substr(at_ + 2, 1) == "{" && end != std::string_view::npos) return take(end + 1 - at_);
        return take(4);
      }
      case 'd':
      case 'D':
      case 'n':
      case 'r':
      case 't':
      case 'f':
      case 'a':
      case 'e':
      case 'A':
      case 'z':
      case 'Z':
        return take(2);
      default:
        refuse(fmt::format("\\{}", c));
    }
  }

  void open_class() {
    in_class_ = true;
    take(1);
    if (at("^")) take(1);
    if (at("]")) refuse("an unescaped ']' at the beginning of a class");
  }

  void class_member() {
    if (at("[")) refuse("a class within a class");
    if (at("&&")) refuse("an intersection of classes");
    if (at("]")) in_class_ = false;
    take(1);
  }

  void open_group() {
    if (!at("(?")) {
      if (at("(*")) refuse("'(*'");
      return take(1);
    }
    for (const std::string_view known : {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:", "(?-i:"}) {
      if (at(known)) return take(known.size());
    }
    // Elsewhere Oniguruma lets the option begin a group that reaches to the end of the enclosing one.
    if (at("(?i)") && at_ == 0) return take(4);
    refuse(pattern_.substr(at_, 4));
  }

  void interval() {
    const auto end = pattern_.find('}', at_);
    const std::string_view inside = pattern_.substr(at_ + 1, end == std::string_view::npos ? end : end - at_ - 1);
    const bool digits = inside.find_first_not_of("0123456789,") == std::string_view::npos;
    if (end == std::string_view::npos || inside.empty() || inside[0] == ',' || !digits)
      refuse("a '{' that is no interval");
    take(end + 1 - at_);
    if (at("+")) refuse("a '+' after an interval");
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  bool in_class_ = false;
  std::string result_;
};

}  // namespace

std::string pcre2_of_oniguruma(std::string_view pattern) { return Translator(pattern).translate(); }

}  // namespace monomorph
