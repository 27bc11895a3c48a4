#include "generator/import/json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "generator/spec/spec.hpp"

namespace monomorph::generator {
namespace {

Span span_at(const std::shared_ptr<const Source>& source, std::size_t offset, std::size_t length) {
  const std::string_view text = source->text;
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  Span span;
  span.source = source;
  span.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  span.column = static_cast<int>(offset - line_start) + 1;
  span.length = static_cast<int>(std::max<std::size_t>(length, 1));
  return span;
}

/// Listens to the parser for keys alone. The parser has then read exactly to the key's closing quote, so that the
/// stream's position is the key's end.
class KeyListener : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  KeyListener(std::shared_ptr<const Source> source, std::istringstream& stream, JsonFile& file,
              Diagnostics& diagnostics)
      : source_(std::move(source)), stream_(stream), file_(file), diagnostics_(diagnostics) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    const auto end = static_cast<std::size_t>(stream_.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in));
    const std::size_t start = opening_quote(end);
    levels_.back().key = name;
    const std::string path = this->path();
    const Span span = span_at(source_, start, end - start);
    const auto [place, inserted] = levels_.back().seen.emplace(name, span);
    if (!inserted) {
      diagnostics_.error("import.duplicate_key", span, fmt::format("'{}' is given twice; keep one of them", path))
          .notes.push_back({"first given here", place->second});
    }
    file_.spans.emplace(path, span);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // The library's text opens with its own error number and position, which the span says better.
    std::string what = error.what();
    const std::size_t colon = what.find(": ");
    if (colon != std::string::npos) what = what.substr(colon + 2);
    diagnostics_.error("import.json", span_at(source_, position == 0 ? 0 : position - 1, 1),
                       fmt::format("this is not JSON: {}", what));
    return false;
  }

 private:
  struct Level {
    std::string key;  ///< the one being read; "" in an array
    std::map<std::string, Span> seen;
  };

  bool enter() {
    levels_.push_back({});
    return true;
  }
  bool leave() {
    levels_.pop_back();
    return true;
  }

  std::string path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (!path.empty()) path += '.';
      path += level.key;
    }
    return path;
  }

  std::size_t opening_quote(std::size_t end) const {
    const std::string& text = source_->text;
    std::size_t at = end - 1;  // the closing quote
    while (at > 0) {
      --at;
      std::size_t escapes = 0;
      while (escapes < at && text[at - 1 - escapes] == '\\') ++escapes;
      if (text[at] == '"' && escapes % 2 == 0) break;
    }
    return at;
  }

  std::shared_ptr<const Source> source_;
  std::istringstream& stream_;
  JsonFile& file_;
  Diagnostics& diagnostics_;
  std::vector<Level> levels_;
};

}  // namespace

Span JsonFile::span(const std::string& path) const {
  const auto place = spans.find(path);
  if (place != spans.end()) return place->second;
  Span file;
  file.source = source;
  return file;
}

std::optional<JsonFile> read_json_file(const std::string& path, Diagnostics& diagnostics) {
  JsonFile file;
  file.source = read_source(path);

  std::istringstream keys(file.source->text);
  KeyListener listener(file.source, keys, file, diagnostics);
  if (!nlohmann::ordered_json::sax_parse(keys, &listener)) return std::nullopt;
  file.value = nlohmann::ordered_json::parse(file.source->text);
  if (!file.value.is_object()) {
    diagnostics.error("import.json", span_at(file.source, 0, 1), "this is not an object of keys and values");
    return std::nullopt;
  }
  return file;
}

}  // namespace monomorph::generator
