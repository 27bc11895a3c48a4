#include "generator/import/json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "generator/spec/spec.hpp"

namespace monomorph::generator {
namespace {

Span span_at(const std::shared_ptr<const Source>& source, std::size_t offset) {
  const std::string_view text = source->text;
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {source, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(offset - line_start) + 1, 1};
}

/// Notes where every key stands. The text is known to be JSON. What reads the values recurses through them: where
/// they nest without end, it says so and gives false.
bool find_keys(JsonFile& file, Diagnostics& diagnostics) {
  struct Level {
    std::string path;  ///< of the key being read; in a list, of the list
    std::map<std::string, Span> seen;
  };
  const std::string& text = file.source->text;
  std::vector<Level> levels = {{}};
  constexpr std::size_t most_levels = 100;
  Span span{file.source, 1, 1, 1};
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') {
      ++span.line;
      line_start = at + 1;
    }
    span.column = static_cast<int>(at - line_start) + 1;
    if (levels.size() > most_levels) {
      diagnostics.error("import.json", span, "this nests too deeply; no config.json does");
      return false;
    }
    if (text[at] == '{' || text[at] == '[') levels.push_back({levels.back().path + (text[at] == '[' ? "." : ""), {}});
    if (text[at] == '}' || text[at] == ']') levels.pop_back();
    if (text[at] != '"') continue;
    const std::size_t begin = at;
    for (++at; text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next == std::string::npos || text[next] != ':') continue;
    span.length = static_cast<int>(at + 1 - begin);
    const auto name = Json::parse(text.substr(begin, at + 1 - begin)).string();
    const std::string& above = levels[levels.size() - 2].path;
    levels.back().path = above.empty() ? name : above + "." + name;
    const auto [place, inserted] = levels.back().seen.emplace(name, span);
    if (!inserted) {
      diagnostics
          .error("import.duplicate_key", span, fmt::format("'{}' is given twice; keep one of them", levels.back().path))
          .notes.push_back({"first given here", place->second});
    }
    file.spans.emplace(levels.back().path, span);
    span.length = 1;
  }
  return true;
}

}  // namespace

Span JsonFile::span(const std::string& path) const {
  const auto place = spans.find(path);
  return place != spans.end() ? place->second : Span{source};
}

std::optional<JsonFile> parse_json_file(std::shared_ptr<const Source> source, Diagnostics& diagnostics) {
  JsonFile file;
  file.source = std::move(source);
  const std::string& text = file.source->text;
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {  // where the parser takes it to end
    diagnostics.error("import.json", span_at(file.source, zero), "this is not JSON: a zero byte stands here");
    return std::nullopt;
  }
  try {
    file.value = Json::parse(with_words_quoted(text));
  } catch (const JsonError& error) {
    // The library's text opens with its own error number and position, which the span says better. A number beyond
    // all bounds is not placed but quoted.
    std::string what = error.what();
    if (const std::size_t colon = what.find(": "); colon != std::string::npos) what = what.substr(colon + 2);
    const std::size_t quote = what.find('\'') + 1;
    const std::size_t at = error.kind == JsonError::Kind::number
                               ? text.find(what.substr(quote, what.rfind('\'') - quote))
                               : std::max<std::size_t>(error.byte, 1) - 1;
    diagnostics.error("import.json", span_at(file.source, at), fmt::format("this is not JSON: {}", what));
    return std::nullopt;
  }
  if (!file.value.is_object()) {
    diagnostics.error("import.json", span_at(file.source, 0), "this is not an object of keys and values");
    return std::nullopt;
  }
  return find_keys(file, diagnostics) ? std::optional(std::move(file)) : std::nullopt;
}

std::optional<JsonFile> read_json_file(const std::string& path, Diagnostics& diagnostics) {
  return parse_json_file(read_source(path), diagnostics);
}

}  // namespace monomorph::generator
