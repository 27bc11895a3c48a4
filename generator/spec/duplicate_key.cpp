#include "generator/spec/duplicate_key.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generator/spec/document.hpp"

namespace monomorph::generator {
namespace {

std::optional<TomlValue> parse(const std::string& text) {
  Diagnostics ignored;
  return parse_document(std::make_shared<const Source>(Source{"", text}), ignored);
}

/// The keys that lead to the one innermost entry of a document with a single one; empty where there is no such.
std::vector<std::string> path_in(const std::string& line) {
  std::vector<std::string> path;
  const std::optional<TomlValue> document = parse(line);
  for (const TomlValue* at = document ? &*document : nullptr; at != nullptr && at->entries.size() == 1;) {
    path.push_back(at->entries.front().key);
    at = &at->entries.front().value;
  }
  return path;
}

const std::string marker = "\x01 marker";

bool find_marker(const TomlValue& table, std::vector<std::string>& path) {
  for (const TomlEntry& entry : table.entries) {
    if (entry.key == marker) return true;
    path.push_back(entry.key);
    if (find_marker(entry.value, path)) return true;
    path.pop_back();
  }
  return false;
}

/// The section that a key written after `text` would be in; nothing where that is in an array of tables.
std::optional<std::vector<std::string>> section_after(const std::string& text) {
  const std::optional<TomlValue> document = parse(text + write_key(marker) + " = 0\n");
  std::vector<std::string> path;
  if (!document || !find_marker(*document, path)) return std::nullopt;
  return path;
}

struct Lines {
  std::string before, line;
};

Lines split_at(const std::string& text, int line) {
  std::size_t begin = 0;
  for (int skipped = 1; skipped < line; ++skipped) begin = text.find('\n', begin) + 1;
  return {text.substr(0, begin), text.substr(begin, text.find_first_of("\r\n", begin) - begin)};
}

/// The entry that `path` leads to, or as far as it leads; `depth` of its keys were found.
const TomlEntry* follow(const TomlValue& root, const std::vector<std::string>& path, std::size_t& depth) {
  const TomlEntry* found = nullptr;
  for (depth = 0; depth < path.size(); ++depth) {
    const TomlEntry* next = (found == nullptr ? root : found->value).find(path[depth]);
    if (next == nullptr) break;
    found = next;
  }
  return found;
}

}  // namespace

void show_first_definition(Diagnostic& error) {
  if (error.message.find("cannot redefine") == std::string::npos || error.span.line < 1) return;
  const auto [before, line] = split_at(error.span.source->text, error.span.line);
  const std::size_t key_begin = line.find_first_not_of(" \t");
  if (key_begin == std::string::npos) return;
  const bool header = line[key_begin] == '[';
  const std::string key =
      header ? line.substr(0, line.find(']') + 1) : line.substr(0, static_cast<std::size_t>(error.span.column) - 1);
  std::vector<std::string> path = path_in(header ? key : key + "0");
  const auto section = header ? std::vector<std::string>{} : section_after(before);
  const std::optional<TomlValue> earlier = parse(before);
  if (path.empty() || !section || !earlier) return;
  path.insert(path.begin(), section->begin(), section->end());

  std::size_t depth = 0;
  const TomlEntry* first = follow(*earlier, path, depth);
  if (first == nullptr) return;
  Span place = header && depth == path.size() ? first->value.span : first->key_span;
  place.source = error.span.source;
  error.notes.push_back({"first given here", place});
  if (depth < path.size()) return;  // a part of the key is something else already: the parser says what
  const std::string name = fmt::format("{}", fmt::join(path, "."));
  error.message = header ? fmt::format("[{}] is given twice; keep its keys in one", name)
                         : fmt::format("{} is given twice; keep one of them", name);
  error.span.column = static_cast<int>(key_begin) + 1;
  error.span.length = static_cast<int>(key.find_last_not_of(" \t=") + 1 - key_begin);
}

}  // namespace monomorph::generator
