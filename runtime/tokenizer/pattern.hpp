// A compiled pattern of a tokenizer, and all its matches in a text. PCRE2 with its just-in-time compiler where the
// machine has one; matching by Unicode's tables.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

struct pcre2_real_code_8;

namespace monomorph {

class Pattern {
 public:
  /// A regular expression in Oniguruma's syntax. Throws Error(rejected) for what is not read.
  static Pattern regex(std::string_view source);
  /// This text itself.
  static Pattern literal(std::string_view text);

  struct Match {
    std::size_t begin, end;
  };
  /// In order, without overlap. `text` is UTF-8. An empty match directly after another match does not count.
  std::vector<Match> find_all(std::string_view text) const;

 private:
  Pattern(std::string_view pcre2_source, std::uint32_t options, std::string_view shown);

  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };
  std::unique_ptr<pcre2_real_code_8, Free> code_;
};

}  // namespace monomorph
