#include "runtime/tokenizer/pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <string>

#include "runtime/error.hpp"
#include "runtime/tokenizer/pattern_syntax.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

void Pattern::Free::operator()(pcre2_real_code_8* code) const { pcre2_code_free(code); }

Pattern Pattern::regex(std::string_view source) {
  // Oniguruma's ^ and $ are always those of lines.
  return {pcre2_of_oniguruma(source), PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, source};
}

Pattern Pattern::literal(std::string_view text) { return {text, PCRE2_UTF | PCRE2_LITERAL, text}; }

Pattern::Pattern(std::string_view source, std::uint32_t options, std::string_view shown) {
  const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
      pcre2_compile_context_create(nullptr), &pcre2_compile_context_free);
  if (context == nullptr) throw std::bad_alloc();
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(source.data()), source.size(), options, &error, &offset,
                            context.get()));
  if (code_ == nullptr) {
    throw Error(ErrorKind::rejected, fmt::format("the pattern '{}' is not read: {}", shown, message_of(error)));
  }
  // Without just-in-time compilation (an unusual machine) the interpreter gives the same matches.
  pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);
}

std::vector<Pattern::Match> Pattern::find_all(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create_from_pattern(code_.get(), nullptr), &pcre2_match_data_free);
  if (data == nullptr) throw std::bad_alloc();
  std::vector<Match> matches;
  std::size_t from = 0;
  while (from <= text.size()) {
    const auto match = [&](std::uint32_t options) {
      return pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from, options, data.get(),
                         nullptr);
    };
    int result = match(PCRE2_NO_UTF_CHECK);
    // The compiled code's stack is small and fixed; the interpreter's grows.
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) result = match(PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT);
    if (result == PCRE2_ERROR_NOMATCH) break;
    if (result < 0) {
      throw Error(ErrorKind::rejected,
                  fmt::format("the tokenizer's pattern cannot be matched at byte {} of the text: {}; split the text",
                              from, message_of(result)));
    }
    const PCRE2_SIZE* const bounds = pcre2_get_ovector_pointer(data.get());
    const Match found{bounds[0], bounds[1]};
    if (found.begin == found.end && !matches.empty() && matches.back().end == found.end) {
      if (from >= text.size()) break;
      std::size_t length = 0;
      utf8_code_point(text.substr(from), length);
      from += length;
      continue;
    }
    matches.push_back(found);
    from = found.end;
  }
  return matches;
}

}  // namespace monomorph
