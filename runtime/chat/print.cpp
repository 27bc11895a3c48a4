#include "runtime/chat/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime/chat/json_text.hpp"
#include "runtime/chat/operators.hpp"
#include "runtime/chat/text.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph::chat {
namespace {

std::string quoted(const std::string& text) {
  const char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char32_t point : code_points(text)) {
    if (point == U'\n') {
      result += "\\n";
    } else if (point == U'\r') {
      result += "\\r";
    } else if (point == U'\t') {
      result += "\\t";
    } else if (point == U'\\' || point == static_cast<char32_t>(quote)) {
      result += '\\';
      result += static_cast<char>(point);
    } else if (is_printable(point)) {
      result += utf8(std::u32string(1, point));
    } else {
      const auto code = static_cast<std::uint32_t>(point);
      result += code < 0x100     ? fmt::format("\\x{:02x}", code)
                : code < 0x10000 ? fmt::format("\\u{:04x}", code)
                                 : fmt::format("\\U{:08x}", code);
    }
  }
  return result + quote;
}

void append_json_text(const std::string& text, bool ensure_ascii, std::string& out) {
  static constexpr std::string_view escaped = "\"\\\n\r\t\f\b", names = "\"\\nrtfb";
  out += '"';
  for (const char32_t point : code_points(text)) {
    const std::size_t at = point < 0x80 ? escaped.find(static_cast<char>(point)) : std::string_view::npos;
    const auto code = static_cast<std::uint32_t>(point);
    if (at != std::string_view::npos) {
      out += '\\';
      out += names[at];
    } else if (code < 0x20 || (ensure_ascii && code >= 0x7F && code < 0x10000)) {
      out += fmt::format("\\u{:04x}", code);
    } else if (ensure_ascii && code >= 0x10000) {
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF));
    } else {
      out += utf8(std::u32string(1, point));
    }
  }
  out += '"';
}

class JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style) : style_(style) {}

  void write(const Value& value, int depth) {
    const Deeper deeper;
    if (value.none()) {
      text += "null";
    } else if (const std::string* string = value.text()) {
      append_json_text(*string, style_.ensure_ascii, text);
    } else if (value.number()) {
      text += number(value);
    } else if (const Dict* dict = value.dict()) {
      write_dict(*dict, depth);
    } else if (value.sequence() != nullptr && value.sequence()->kind <= SequenceKind::tuple) {
      const std::vector<Value>& elements = value.sequence()->elements;
      write_all(elements, '[', ']', depth, [&](const Value& element) { write(element, depth + 1); });
    } else {
      fail(fmt::format("a value of type '{}' has no JSON", type_name(value)));
    }
  }

  std::string text;

 private:
  static std::string number(const Value& value) {
    if (const bool* truth = value.as<bool>()) return *truth ? "true" : "false";
    const double* const real = value.as<double>();
    if (real == nullptr) return std::to_string(*value.integer());
    if (std::isnan(*real)) return "NaN";
    if (std::isinf(*real)) return *real > 0 ? "Infinity" : "-Infinity";
    return float_text(*real);
  }

  template <class Elements, class Write>
  void write_all(const Elements& elements, char open, char close, int depth, Write write_one) {
    text += open;
    bool first = true;
    for (const auto& element : elements) {
      if (!first) text += style_.item_separator;
      first = false;
      new_line(depth + 1);
      write_one(element);
    }
    if (!first) new_line(depth);
    text += close;
  }

  void write_dict(const Dict& dict, int depth) {
    std::vector<std::pair<Value, Value>> entries = dict.entries;
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [](const auto& a, const auto& b) { return less(a.first, b.first); });
    }
    write_all(entries, '{', '}', depth, [&](const auto& entry) {
      const auto& [key, value] = entry;
      const bool plain = key.template as<std::string>() != nullptr || key.number() || key.none();
      if (!plain) fail(fmt::format("a value of type '{}' is no key of JSON", type_name(key)));
      if (key.template as<std::string>() != nullptr) {
        write(key, depth);
      } else {
        append_json_text(key.none() ? "null" : number(key), false, text);
      }
      text += style_.key_separator;
      write(value, depth + 1);
    });
  }

  void new_line(int depth) {
    if (!style_.indent) return;
    text += '\n';
    for (int i = 0; i < depth; ++i) text += *style_.indent;
  }

  const JsonStyle& style_;
};

Value value_of(const Json& json) {
  const Deeper deeper;
  if (json.is_null()) return None{};
  if (json.is_boolean()) return json.boolean();
  if (json.is_integer()) return json.integer();
  if (json.is_number()) return json.real();
  if (json.is_string()) return json.string();
  if (json.is_array()) {
    std::vector<Value> elements;
    for (const auto& element : json) elements.push_back(value_of(element));
    return list_of(std::move(elements));
  }
  Dict dict;
  for (const auto& [key, entry] : json.members()) dict.entries.emplace_back(key, value_of(entry));
  return dict;
}

}  // namespace

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(result.ptr - buffer));
  int exponent = 0;
  const std::size_t e = text.find('e');
  const char* const digits = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits, text.data() + text.size(), exponent);
  const bool fixed = exponent >= -4 && exponent < 16;
  if (!fixed) return std::string(text);
  char plain[400];
  const auto end = std::to_chars(plain, plain + sizeof plain, value, std::chars_format::fixed);
  std::string number(plain, static_cast<std::size_t>(end.ptr - plain));
  return number.find('.') == std::string::npos ? number + ".0" : number;
}

std::string text_of(const Value& value) {
  if (const std::string* text = value.text()) return *text;
  return value.undefined() ? std::string() : representation(value);
}

std::string required_text(const Value& value) {
  if (value.text() == nullptr) fail(fmt::format("a str is required, not {}", type_name(value)));
  return *value.text();
}

std::string representation(const Value& value) {
  const Deeper deeper;
  if (value.undefined()) return "Undefined";
  if (value.none()) return "None";
  if (const bool* truth = value.as<bool>()) return *truth ? "True" : "False";
  if (const std::int64_t* number = value.as<std::int64_t>()) return std::to_string(*number);
  if (const double* number = value.as<double>()) return float_text(*number);
  if (const std::string* text = value.as<std::string>()) return quoted(*text);
  std::string inner;
  if (const Dict* dict = value.dict()) {
    for (const auto& [key, entry] : dict->entries) {
      inner += inner.empty() ? "" : ", ";
      inner += representation(key) + ": " + representation(entry);
    }
    return "{" + inner + "}";
  }
  const Sequence* const sequence = value.sequence();
  if (sequence == nullptr) {
    fail(fmt::format("a value of type '{}' is printed", type_name(value)));
  }
  if (sequence->kind == SequenceKind::range) {
    if (sequence->shown.empty()) fail("a part of a range is printed");
    return sequence->shown;
  }
  for (const Value& element : sequence->elements) {
    inner += (inner.empty() ? "" : ", ") + representation(element);
  }
  if (sequence->kind == SequenceKind::view) return sequence->shown + "([" + inner + "])";
  if (sequence->kind == SequenceKind::list) return "[" + inner + "]";
  return "(" + inner + (sequence->elements.size() == 1 ? ",)" : ")");
}

std::string to_json(const Value& value, const JsonStyle& style) {
  JsonWriter writer(style);
  writer.write(value, 0);
  return std::move(writer.text);
}

Value parse_json(std::string_view text, const std::string& what) { return value_of(read_json(text, what)); }

}  // namespace monomorph::chat
