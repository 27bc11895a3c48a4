#include "generator/spec/document.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "generator/spec/unclosed_string.hpp"

namespace monomorph::generator {
namespace {

/// toml++ counts columns in characters; spans count bytes.
class Places {
 public:
  explicit Places(std::shared_ptr<const Source> source) : source_(std::move(source)) {
    const std::string& text = source_->text;
    std::size_t begin = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
    lines_.push_back(begin);
    while ((begin = text.find('\n', begin)) != std::string::npos) lines_.push_back(++begin);
  }

  Span span(const toml::source_region& region) const {
    Span span{source_, static_cast<int>(region.begin.line), byte_column(region.begin), 1};
    if (region.begin.line == region.end.line) {
      span.length = std::max(1, byte_column(region.end) - span.column);
    } else if (region.begin.line >= 1 && region.begin.line <= lines_.size()) {
      const std::size_t begin = lines_[region.begin.line - 1] + static_cast<std::size_t>(span.column - 1);
      const std::size_t end = source_->text.find_first_of("\r\n", begin);
      if (end != std::string::npos) span.length = std::max(1, static_cast<int>(end - begin));
    }
    return span;
  }

  Span span_at(std::size_t offset) const {
    const auto line = std::upper_bound(lines_.begin(), lines_.end(), offset);
    const std::size_t begin = line == lines_.begin() ? 0 : *std::prev(line);
    return {source_, static_cast<int>(line - lines_.begin()), static_cast<int>(offset - begin) + 1, 1};
  }

 private:
  int byte_column(const toml::source_position& position) const {
    if (position.line < 1 || position.line > lines_.size()) return 1;
    const std::string& text = source_->text;
    const std::size_t begin = lines_[position.line - 1];
    // A line may be long and hold many values, which are met in their order.
    if (last_.line != position.line || last_.column > position.column) {
      last_ = {position.line, 1};
      last_byte_ = begin;
    }
    for (; last_.column < position.column && last_byte_ < text.size(); ++last_.column) {
      do ++last_byte_;
      while (last_byte_ < text.size() && (static_cast<unsigned char>(text[last_byte_]) & 0xC0) == 0x80);
    }
    return static_cast<int>(last_byte_ - begin) + 1;
  }

  std::shared_ptr<const Source> source_;
  std::vector<std::size_t> lines_;        ///< where each begins
  mutable toml::source_position last_{};  ///< asked for
  mutable std::size_t last_byte_ = 0;     ///< that stands there
};

TomlValue convert(const toml::node& node, const Places& places);

void convert_table(const toml::table& table, const Places& places, TomlValue& result) {
  result.form = TomlValue::Form::table;
  result.is_inline = table.is_inline();
  for (const auto& [key, child] : table) {
    result.entries.push_back({std::string(key.str()), places.span(key.source()), convert(child, places)});
  }
  // toml++ sorts by name.
  std::stable_sort(result.entries.begin(), result.entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
    return std::pair(a.key_span.line, a.key_span.column) < std::pair(b.key_span.line, b.key_span.column);
  });
}

TomlValue convert(const toml::node& node, const Places& places) {
  TomlValue result;
  result.span = places.span(node.source());
  if (const auto* table = node.as_table()) {
    convert_table(*table, places, result);
  } else if (const auto* array = node.as_array()) {
    result.form = TomlValue::Form::array;
    for (const toml::node& item : *array) result.items.push_back(convert(item, places));
  } else if (const auto* string = node.as_string()) {
    result.form = TomlValue::Form::string;
    result.string = string->get();
  } else if (const auto* integer = node.as_integer()) {
    result.form = TomlValue::Form::integer;
    result.integer = integer->get();
    result.number = static_cast<double>(result.integer);
  } else if (const auto* number = node.as_floating_point()) {
    result.form = TomlValue::Form::number;
    result.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    result.form = TomlValue::Form::boolean;
    result.boolean = boolean->get();
  } else {
    result.form = TomlValue::Form::date;
  }
  return result;
}

/// The first byte of a run of key characters with so many dots, those of the inline tables around it included, that
/// toml++, which nests a table for each and recurses through them, would overflow the stack; npos: none.
std::size_t endless_key(const std::string& text) {
  constexpr int most_dots = 200;
  std::size_t begin = 0;
  int dots = 0, around = 0, last = 0;
  std::vector<int> open;  // dots of the keys whose inline tables are not closed
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool in_key = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("_-.\"' \t", c) != nullptr;
    if (!in_key || c == '\0') {
      if (c == '=') last = dots;
      if (c == '{') {
        open.push_back(last);
        around += last;
      } else if (c == '}' && !open.empty()) {
        around -= last = open.back();
        open.pop_back();
      }
      begin = at + 1;
      dots = 0;
    } else if (c == '.' && ++dots + around > most_dots) {
      return begin;
    }
  }
  return std::string::npos;
}

/// Whether all of `text` is a number, however large.
bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

}  // namespace

const TomlEntry* TomlValue::find(const std::string& key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const TomlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

TomlEntry* TomlValue::find(const std::string& key) { return const_cast<TomlEntry*>(std::as_const(*this).find(key)); }

std::string describe(const TomlValue& value) {
  switch (value.form) {
    case TomlValue::Form::table:
      return "a table";
    case TomlValue::Form::array:
      return "a list";
    case TomlValue::Form::string:
      return "a string";
    case TomlValue::Form::integer:
      return "an integer";
    case TomlValue::Form::number:
      return "a number with a fraction";
    case TomlValue::Form::boolean:
      return "a boolean";
    case TomlValue::Form::date:
      return "a date or time";
  }
  throw InternalError("spec: a TOML value of no form");
}

Span end_of(const std::shared_ptr<const Source>& source) { return Places(source).span_at(source->text.size()); }

std::optional<TomlValue> parse_document(const std::shared_ptr<const Source>& source, Diagnostics& diagnostics) {
  const Places places(source);
  if (const std::size_t at = endless_key(source->text); at != std::string::npos) {
    diagnostics.error("spec.syntax", places.span_at(at), "TOML, a key of more than 200 parts: no section is that deep");
    return std::nullopt;
  }
  try {
    const toml::table table = toml::parse(std::string_view(source->text));
    TomlValue root;
    convert_table(table, places, root);
    root.span = {source, 0, 0, 1};
    return root;
  } catch (const toml::parse_error& error) {
    std::string message(error.description());
    const std::string opening = "Error while parsing ";
    if (message.rfind(opening, 0) == 0) message = "TOML, " + message.substr(opening.size());
    Span span = places.span(error.source());
    if (const auto unclosed = find_unclosed_string(source->text)) {
      const Span begin = places.span_at(unclosed->begin);
      if (begin.line <= span.line) {
        span = begin;
        message = fmt::format("TOML, a string that is not closed: {} belongs at its end{}", unclosed->quotes,
                              unclosed->quotes.size() == 1 ? ", in the same line" : "");
      }
    }
    diagnostics.error("spec.syntax", span, message);
    return std::nullopt;
  }
}

void apply_override(TomlValue& root, const std::string& path, const std::optional<std::string>& given,
                    Diagnostics& diagnostics) {
  const std::string value = given.value_or("0");
  const auto parse = [&](const std::string& text, Diagnostics& errors) {
    return parse_document(std::make_shared<const Source>(Source{"--set " + path, path + " = " + text}), errors);
  };
  Diagnostics errors;
  std::optional<TomlValue> parsed = parse(value, errors);
  if (parsed && parsed->entries.size() != 1) parsed.reset();  // a value with lines of its own is no value
  const bool bare =
      value.empty() || (std::string("\"'[{").find(value.front()) == std::string::npos && !is_number(value));
  if (!parsed && bare) {
    errors = {};
    parsed = parse(write_string(value), errors);
  }
  if (!parsed) {
    diagnostics.append(errors);
    return;
  }
  // The path's tables are ordinary ones, so that this is an overlay; what they lead to replaces what was there.
  TomlValue* from = &*parsed;
  TomlValue* into = &root;
  while (from->entries.size() == 1) {
    TomlEntry& entry = from->entries.front();
    TomlEntry* existing = into->find(entry.key);
    const bool leads_on = entry.value.form == TomlValue::Form::table && !entry.value.is_inline;
    if (existing == nullptr) {
      if (given) into->entries.push_back(entry);
      return;
    }
    if (!leads_on && !given) {
      std::erase_if(into->entries, [&](const TomlEntry& other) { return other.key == entry.key; });
      return;
    }
    if (!leads_on || existing->value.form != TomlValue::Form::table) {
      existing->value = entry.value;
      existing->key_span = entry.key_span;
      return;
    }
    into = &existing->value;
    from = &entry.value;
  }
}

TomlValue overlay(const TomlValue& base, const TomlValue& over) {
  const bool merges = base.form == TomlValue::Form::table && over.form == TomlValue::Form::table && !over.is_inline;
  if (!merges) return over;
  TomlValue result = base;
  result.span = over.span;
  for (const TomlEntry& entry : over.entries) {
    if (TomlEntry* existing = result.find(entry.key)) {
      existing->value = overlay(existing->value, entry.value);
      existing->key_span = entry.key_span;
    } else {
      result.entries.push_back(entry);
    }
  }
  return result;
}

std::string write_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string write_key(const std::string& text) {
  const bool bare = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? text : write_string(text);
}

}  // namespace monomorph::generator
