#include "runtime/tokenizer/pattern_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

// PCRE2's own \s counts U+180E as a space and its \w leaves out combining marks; Oniguruma follows Unicode, and its \w
// has six digits and fractions of Latin-1 besides, outside classes alone.
constexpr std::string_view word = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}";
constexpr std::string_view latin1_numbers = "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}";

constexpr std::string_view hexadecimal = "0123456789abcdefABCDEF";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// What a class matches: members as they stand between brackets, and expressions that match one character each.
struct Set {
  std::string members;
  std::vector<std::string> others;
};

std::string expression_of(const Set& set) {
  std::vector<std::string> parts = set.others;
  if (!set.members.empty()) parts.insert(parts.begin(), "[" + set.members + "]");
  return parts.size() == 1 ? parts[0] : fmt::format("(?:{})", fmt::join(parts, "|"));
}

std::string complement_of(const Set& set) {
  if (set.others.empty()) return "[^" + set.members + "]";
  return fmt::format("(?:(?!{})(?s:.))", expression_of(set));
}

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string translate() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      const char before = std::exchange(letter_, '\0');
      if (c == '\\') {
        result_ += escape(false);
      } else if (c == '[') {
        result_ += expression_of(read_class());
      } else if (c == '(') {
        letter_ = before;
        open_group();
      } else if (c == ')') {
        letter_ = before;
        if (folds_.size() > 1) folds_.pop_back();
        result_ += take(1);
      } else if (c == '{') {
        interval();
      } else {
        literal(before);
      }
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(std::string_view construct) const {
    throw Error(ErrorKind::rejected,
                fmt::format("the pattern '{}' uses {} (at byte {}), which is not read", pattern_, construct, at_));
  }
  std::string_view take(std::size_t count) {
    const std::string_view taken = pattern_.substr(at_, count);
    at_ += taken.size();
    return taken;
  }
  bool at(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool folds() const { return folds_.back(); }

  /// Without case, Oniguruma takes "ss" for a sharp s, "fi" for the ligature, and pairs beyond ASCII likewise.
  void literal(char before) {
    const char c = pattern_[at_];
    if (folds()) {
      if (!is_ascii(c)) refuse("a character beyond ASCII where case does not count");
      if (is_letter(c)) letter_ = lower(c);
      for (const std::string_view pair : {"ss", "st", "ff", "fi", "fl"}) {
        if (before == pair[0] && letter_ == pair[1]) refuse(fmt::format("'{}' where case does not count", pair));
      }
    }
    result_ += take(1);
  }

  /// What stands for the escape at `at_`, which is passed.
  std::string escape(bool in_class) {
    if (at_ + 1 == pattern_.size()) refuse("a backslash at its end");
    const char c = pattern_[at_ + 1];
    if (!is_letter(c) && (c < '0' || c > '9')) {
      if (folds() && !is_ascii(c)) refuse("a character beyond ASCII where case does not count");
      return std::string(take(2));
    }
    const std::string in = fmt::format("[{}{}]", word, latin1_numbers);
    const auto instead = [&](std::string text) {
      at_ += 2;
      return text;
    };
    switch (c) {
      case 's':
        return instead("\\p{White_Space}");
      case 'S':
        return instead("\\P{White_Space}");
      case 'w':
        return instead(in_class ? std::string(word) : in);
      case 'W':
        if (in_class) refuse("\\W in a class");
        return instead("[^" + in.substr(1));
      case 'b':
        if (in_class) return instead("\\x08");
        return instead(fmt::format("(?:(?<={0})(?!{0})|(?<!{0})(?={0}))", in));
      case 'B':
        if (in_class) refuse("\\B in a class");
        return instead(fmt::format("(?:(?<={0})(?={0})|(?<!{0})(?!{0}))", in));
      case 'v':
        return instead("\\x0b");
      case 'u':
      case 'x':
        return code_point(c);
      case 'p':
      case 'P':
        if (in_class && folds()) refuse("\\p in a class where case does not count");
        return property(c == 'P');
      case 'd':
      case 'D':
      case 'n':
      case 'r':
      case 't':
      case 'f':
      case 'a':
      case 'e':
        return std::string(take(2));
      case 'A':
      case 'z':
      case 'Z':
        if (in_class) break;
        return std::string(take(2));
      default:
        break;
    }
    refuse(fmt::format("\\{}", c));
  }

  /// \u0041, \x41, \x{41}
  std::string code_point(char kind) {
    if (folds()) refuse(fmt::format("\\{} where case does not count", kind));
    std::string_view digits = pattern_.substr(at_ + 2, kind == 'u' ? 4 : 2);
    std::size_t length = 2 + digits.size();
    bool valid = digits.size() == (kind == 'u' ? 4 : 2);
    if (kind == 'x' && digits.starts_with("{")) {
      const auto end = pattern_.find('}', at_);
      if (end == pattern_.npos) refuse("\\x without its '}'");
      digits = pattern_.substr(at_ + 3, end - at_ - 3);
      length = end + 1 - at_;
      valid = !digits.empty() && digits.size() <= 8;
    } else if (kind == 'x' && valid) {
      valid = digits[0] <= '7';  // above, it is a byte and no character
    }
    if (!valid || digits.find_first_not_of(hexadecimal) != digits.npos) {
      refuse(fmt::format("\\{} without the digits of a character", kind));
    }
    const std::string text = fmt::format("\\x{{{}}}", digits);
    at_ += length;
    return text;
  }

  /// \p{Lu}. A script's bare name is its extensions too for PCRE2.
  std::string property(bool negated) {
    static constexpr std::string_view known[] = {
        "any", "c", "cc", "cf", "cn", "co", "cs", "l", "ll", "lm", "lo", "lt", "lu", "m", "mc", "me", "mn", "n", "nd",
        "nl", "no", "p", "pc", "pd", "pe", "pf", "pi", "po", "ps", "s", "sc", "sk", "sm", "so", "z", "zl", "zp", "zs",
        // Not categories, but not scripts either.
        "alphabetic", "ascii", "emoji", "emojipresentation", "extendedpictographic", "ideographic", "lowercase",
        "uppercase", "whitespace"};
    const auto end = pattern_.find('}', at_);
    if (pattern_.substr(at_ + 2, 1) != "{" || end == pattern_.npos) refuse("\\p without braces");
    std::string_view name = pattern_.substr(at_ + 3, end - at_ - 3);
    if (name.starts_with("^")) {
      negated = !negated;
      name.remove_prefix(1);
    }
    std::string key;
    for (const char c : name) {
      if (is_letter(c)) {
        key += lower(c);
      } else if (c != ' ' && c != '-' && c != '_') {
        refuse(fmt::format("\\p{{{}}}", name));
      }
    }
    const std::string_view script = std::ranges::find(known, key) == std::end(known) ? "sc:" : "";
    at_ = end + 1;
    return fmt::format("\\{}{{{}{}}}", negated ? 'P' : 'p', script, key);
  }

  /// The class at `at_`, which is passed. Classes within it join it, "&&" leaves what both sides have.
  Set read_class() {
    constexpr int deepest = 8;
    if (++depth_ > deepest) refuse(fmt::format("classes within classes deeper than {}", deepest));
    take(1);
    const bool negated = at("^");
    if (negated) take(1);
    if (at("]")) refuse("an unescaped ']' at the beginning of a class");
    std::vector<std::string> sides;  // of "&&"
    Set set;
    const auto end_side = [&] {
      if (set.members.empty() && set.others.empty()) refuse("an intersection with nothing");
      sides.push_back(expression_of(std::exchange(set, {})));
    };
    for (bool is_first = true; !at("]"); is_first = false) {
      if (at_ == pattern_.size()) refuse("a class without its end");
      const bool nested = at("["), intersection = at("&&");
      if ((nested || intersection) && folds()) refuse("a class of classes where case does not count");
      if (nested) {
        if (at("[:")) refuse("'[:' in a class");
        Set inner = read_class();
        set.members += inner.members;
        set.others.insert(set.others.end(), inner.others.begin(), inner.others.end());
      } else if (intersection) {
        end_side();
        take(2);
      } else {
        member(set.members, is_first);
      }
      if ((nested || intersection) && at("-")) refuse("a '-' beside a class or '&&' in a class");
    }
    take(1);
    --depth_;
    if (!sides.empty()) {
      end_side();
      std::string both;
      for (std::size_t i = 0; i + 1 < sides.size(); ++i) both += fmt::format("(?={})", sides[i]);
      set = {"", {fmt::format("(?:{}{})", both, sides.back())}};
    }
    return negated ? Set{"", {complement_of(set)}} : set;
  }

  void member(std::string& members, bool is_first) {
    if (at("\\")) {
      members += escape(true);
    } else if (at("-")) {
      if (at("-[") || at("-&&")) refuse("a '-' beside a class or '&&' in a class");
      members += is_first || at("-]") ? "\\-" : "-";
      take(1);
    } else {
      if (folds() && !is_ascii(pattern_[at_])) refuse("a character beyond ASCII where case does not count");
      if (at("^")) members += '\\';
      members += take(1);
    }
  }

  void open_group() {
    bool fold = folds();
    if (!at("(?")) {
      if (at("(*")) refuse("'(*'");
      result_ += take(1);
      folds_.push_back(fold);
      return;
    }
    // Elsewhere Oniguruma lets the option begin a group that reaches to the end of the enclosing one.
    if (at("(?i)") && at_ == 0) {
      folds_.back() = true;
      result_ += take(4);
      return;
    }
    for (const std::string_view known : {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:", "(?-i:"}) {
      if (!at(known)) continue;
      if (known == "(?i:" || known == "(?-i:") fold = known == "(?i:";
      folds_.push_back(fold);
      result_ += take(known.size());
      return;
    }
    refuse(pattern_.substr(at_, 4));
  }

  void interval() {
    const auto end = pattern_.find('}', at_);
    const std::string_view inside = pattern_.substr(at_ + 1, end == pattern_.npos ? end : end - at_ - 1);
    const bool digits = inside.find_first_not_of("0123456789,") == inside.npos;
    if (end == pattern_.npos || inside.empty() || inside[0] == ',' || !digits) refuse("a '{' that is no interval");
    result_ += take(end + 1 - at_);
    if (at("+")) refuse("a '+' after an interval");
    // There "a{2}?" is none or two, here it is two.
    if (at("?") && inside.find(',') == inside.npos) refuse("a '?' after an interval of one number");
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<bool> folds_ = {false};  ///< of each open group: case does not count
  char letter_ = '\0';                 ///< the one before, where case does not count
  std::string result_;
};

}  // namespace

std::string pcre2_of_oniguruma(std::string_view pattern) { return Translator(pattern).translate(); }

}  // namespace monomorph
