#include "generator/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace monomorph::generator {
namespace {

Diagnostic& add(std::vector<Diagnostic>& diagnostics, Severity severity, std::string rule, Span span,
                std::string message) {
  return diagnostics.emplace_back(Diagnostic{severity, std::move(rule), std::move(message), std::move(span), {}});
}

const char* word(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  throw InternalError("diagnostics: a severity without a word");
}

/// Line `line` (1-based) without its end, a byte order mark or a carriage return.
std::string line_of(const std::string& text, int line) {
  std::size_t begin = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
  for (int skipped = 1; skipped < line; ++skipped) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return "";
    begin = end + 1;
  }
  std::string result = text.substr(begin, text.find('\n', begin) - begin);
  if (!result.empty() && result.back() == '\r') result.pop_back();
  return result;
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Of a line too long to be read, the part around the span, and the span in it.
std::pair<std::string, Span> near_span(std::string line, Span span) {
  constexpr int most = 200, before = 80;
  if (static_cast<int>(line.size()) > most) {
    int begin = std::max(0, span.column - 1 - before);
    while (begin > 0 && begin < static_cast<int>(line.size()) &&
           continues_character(line[static_cast<std::size_t>(begin)])) {
      --begin;
    }
    if (begin < static_cast<int>(line.size())) line.erase(0, static_cast<std::size_t>(begin));
    span.column -= begin;
    std::size_t end = std::min<std::size_t>(line.size(), most);
    while (end < line.size() && continues_character(line[end])) ++end;
    line.resize(end);
  }
  return {std::move(line), span};
}

/// "    ^~~~" under the span: tabs stay tabs and a character of several bytes is one column wide, so that the caret
/// stands where a terminal shows the character.
std::string caret_under(const std::string& line, const Span& span) {
  const std::size_t begin = std::min(line.size(), static_cast<std::size_t>(std::max(span.column - 1, 0)));
  const std::size_t end = std::min(line.size(), begin + static_cast<std::size_t>(std::max(span.length, 1)));
  std::string result;
  for (std::size_t i = 0; i < begin; ++i) {
    if (!continues_character(line[i])) result += line[i] == '\t' ? '\t' : ' ';
  }
  result += '^';
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (!continues_character(line[i])) result += '~';
  }
  return result;
}

/// Control characters of an input never reach the terminal.
std::string printable(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7F;
    result += control ? ' ' : c;
  }
  return result;
}

std::string render_at(const Span& span, const char* severity, const std::string& message, const std::string& rule) {
  std::string result;
  if (span.source != nullptr) {
    result = span.source->name;
    if (span.line > 0) result += fmt::format(":{}:{}", span.line, span.column);
    result += ": ";
  }
  result += fmt::format("{}: {}", severity, printable(message));
  if (!rule.empty()) result += fmt::format(" [{}]", rule);
  result += '\n';
  if (span.source != nullptr && span.line > 0) {
    const auto [line, shown] = near_span(line_of(span.source->text, span.line), span);
    if (!line.empty()) result += fmt::format("  {}\n  {}\n", printable(line), caret_under(line, shown));
  }
  return result;
}

}  // namespace

Diagnostic& Diagnostics::error(std::string rule, Span span, std::string message) {
  return add(diagnostics_, Severity::error, std::move(rule), std::move(span), std::move(message));
}

Diagnostic& Diagnostics::warning(std::string rule, Span span, std::string message) {
  return add(diagnostics_, Severity::warning, std::move(rule), std::move(span), std::move(message));
}

Diagnostic& Diagnostics::advice(std::string rule, Span span, std::string message) {
  return add(diagnostics_, Severity::note, std::move(rule), std::move(span), std::move(message));
}

void Diagnostics::append(const Diagnostics& other) {
  diagnostics_.insert(diagnostics_.end(), other.diagnostics_.begin(), other.diagnostics_.end());
}

bool Diagnostics::has_errors() const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::error; });
}

std::string render(const Diagnostic& diagnostic) {
  std::string result = render_at(diagnostic.span, word(diagnostic.severity), diagnostic.message, diagnostic.rule);
  for (const Note& note : diagnostic.notes) result += render_at(note.span, "note", note.message, "");
  return result;
}

std::string render(const Diagnostics& diagnostics) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics.all()) result += render(diagnostic);
  return result;
}

}  // namespace monomorph::generator
