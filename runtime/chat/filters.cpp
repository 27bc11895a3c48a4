#include "runtime/chat/filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "runtime/chat/format.hpp"
#include "runtime/chat/given.hpp"
#include "runtime/chat/loop.hpp"
#include "runtime/chat/methods.hpp"
#include "runtime/chat/numbers.hpp"
#include "runtime/chat/operators.hpp"
#include "runtime/chat/print.hpp"
#include "runtime/chat/text.hpp"

namespace monomorph::chat {
namespace {

/// Of what Python's own functions take for a flag: a number alone.
bool number_flag(const std::optional<Value>& value) { return value && whole(*value) != 0; }

/// A text in small letters where case does not count; any other value as it is.
Value sort_key(const Value& value, bool case_sensitive) {
  const std::string* const text = value.as<std::string>();
  return text == nullptr || case_sensitive ? value : Value(lower(*text));
}

/// What `attribute` names of `value`: "a.b.0"; the value itself where it names nothing.
Value looked_up(Value value, const std::optional<Value>& attribute, const Value& otherwise = None{}) {
  if (!is_given(attribute)) return value;
  std::vector<std::string> parts = {};
  if (const std::string* path = attribute->as<std::string>()) {
    parts = split_at(*path, ".", -1, false);
  } else {
    value = item({std::move(value), whole(*attribute)});
    return value.undefined() && !otherwise.none() ? otherwise : value;
  }
  for (const std::string& part : parts) {
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    if (number && part.size() > 9) fail("an index of an attribute is too large");
    value = item({std::move(value), number ? Value(std::stoi(part)) : Value(part)});
    if (value.undefined() && !otherwise.none()) value = otherwise;
  }
  return value;
}

/// What `sort` compares: the attributes, of which commas make several.
Value sort_keys(const Value& value, const std::optional<Value>& attribute, bool case_sensitive) {
  const std::string* const names = is_given(attribute) ? attribute->as<std::string>() : nullptr;
  std::vector<Value> keys;
  if (names == nullptr) {
    keys.push_back(sort_key(looked_up(value, attribute), case_sensitive));
  } else {
    for (const std::string& name : split_at(*names, ",", -1, false)) {
      keys.push_back(sort_key(looked_up(value, name), case_sensitive));
    }
  }
  return list_of(std::move(keys));
}

/// Sorted by `key`; what compares equal stays in order, backwards too.
std::vector<Value> sorted(const std::vector<Value>& values, const std::function<Value(const Value&)>& key,
                          bool reverse) {
  std::vector<std::pair<Value, Value>> pairs;
  for (const Value& value : values) pairs.emplace_back(key(value), value);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
    return reverse ? less(b.first, a.first) : less(a.first, b.first);
  });
  std::vector<Value> result;
  for (auto& [by, value] : pairs) result.push_back(std::move(value));
  return result;
}

Value extreme(const Given& given, bool largest) {
  const auto key = [&](const Value& value) { return sort_key(looked_up(value, given[2]), flag(given[1])); };
  const std::vector<Value> values = elements_of(*given[0]);
  if (values.empty()) return Undefined{"No aggregated item, sequence was empty."};
  const Value* best = &values.front();
  for (const Value& value : values) {
    if (largest ? less(key(*best), key(value)) : less(key(value), key(*best))) best = &value;
  }
  return *best;
}

Value unique(const Given& given) {
  std::vector<Value> seen;
  return filtered(*given[0], [=](const Value& value) mutable {
    const Value key = sort_key(looked_up(value, given[2]), flag(given[1]));
    require_hashable(key);
    if (std::any_of(seen.begin(), seen.end(), [&](const Value& one) { return equal(one, key); })) return false;
    seen.push_back(key);
    return true;
  });
}

Value sorted_entries(const Given& given) {
  const Dict* const dict = given[0]->dict();
  if (dict == nullptr) fail(fmt::format("dictsort of a value of type '{}'", type_name(*given[0])));
  const std::string by = given[2] ? text_of(*given[2]) : "key";
  if (by != "key" && by != "value") fail("You can only sort by either \"key\" or \"value\"");
  std::vector<Value> entries;
  for (const auto& [key, value] : dict->entries) entries.push_back(tuple_of({key, value}));
  const std::size_t place = by == "key" ? 0 : 1;
  return list_of(sorted(
      entries, [&](const Value& entry) { return sort_key(entry.sequence()->elements[place], flag(given[1])); },
      number_flag(given[3])));
}

Value nothing() {
  return Generator{[] { return std::optional<Value>(); }};
}

Value entries(const Value& value) {
  if (value.undefined()) return nothing();
  if (value.dict() == nullptr) fail("Can only get item pairs from a mapping.");
  return transformed(call_method("items", {{value}}), [](const Value& entry) { return entry; });
}

Value reversed(const Value& value) {
  if (const std::string* text = value.as<std::string>()) {
    std::u32string points = code_points(*text);
    std::reverse(points.begin(), points.end());
    return utf8(points);
  }
  std::vector<Value> elements = elements_of(value);
  std::reverse(elements.begin(), elements.end());
  if (value.generator() != nullptr) return list_of(std::move(elements));
  return transformed(list_of(std::move(elements)), [](const Value& element) { return element; });
}

Value last(const Value& value) {
  if (value.generator() != nullptr || value.loop() != nullptr) {
    fail(fmt::format("'{}' object is not reversible", type_name(value)));
  }
  const std::vector<Value> elements = elements_of(value);
  return elements.empty() ? Value(Undefined{"No last item, sequence was empty."}) : elements.back();
}

/// What a level is indented by: a text, or so many spaces.
std::string indentation(const Value& width) {
  const std::string* const text = width.as<std::string>();
  return text != nullptr ? *text : *arithmetic("*", {" ", whole(width)}).as<std::string>();
}

Value indented(const Given& given) {
  if (given[0]->as<std::string>() == nullptr) fail("indent of a value of type " + type_name(*given[0]));
  const std::string width = indentation(given[1].value_or(4));
  const bool first = flag(given[2]), blank = flag(given[3]);
  std::string result;
  bool begin = true;
  for (const std::string& line : split_lines(*given[0]->as<std::string>() + "\n")) {
    if (!begin) result += "\n";
    if (begin ? first : blank || !line.empty()) result += width;
    result += line;
    begin = false;
  }
  return result;
}

/// Cut after the last word that fits; `killwords`: within it. What is a little longer, by `leeway`, stays.
Value truncated(const Given& given) {
  if (given[0]->as<std::string>() == nullptr) fail("truncate of a value of type " + type_name(*given[0]));
  const std::u32string points = code_points(*given[0]->as<std::string>());
  const std::string end = given[3] ? text_of(*given[3]) : "...";
  const std::int64_t length = given[1] ? whole(*given[1]) : 255, leeway = is_given(given[4]) ? whole(*given[4]) : 5;
  if (length < *length_of(end) || leeway < 0) fail("truncate to less than its end");
  const std::int64_t kept = length - *length_of(end);
  if (static_cast<std::int64_t>(points.size()) - length <= leeway) return *given[0];
  const std::string text = utf8(std::u32string_view(points).substr(0, static_cast<std::size_t>(kept)));
  return (flag(given[2]) ? text : split_at(text, " ", 1, true).front()) + end;
}

/// Runs of letters, digits and underscores.
std::int64_t words(const std::string& text) {
  std::int64_t count = 0;
  bool within = false;
  for (const char32_t point : code_points(text)) {
    const bool letter = point == U'_' || all_are("isalnum", utf8(std::u32string(1, point)));
    count += letter && !within ? 1 : 0;
    within = letter;
  }
  return count;
}

/// Jinja's own: a word begins after white space, a hyphen or an opening bracket.
std::string titled(const std::string& text) {
  const std::u32string points = code_points(text);
  const auto splits = [](char32_t point) {
    return is_space(point) || std::u32string_view(U"-({[<").find(point) != std::u32string_view::npos;
  };
  std::string result;
  for (std::size_t at = 0; at < points.size();) {
    std::size_t end = at + 1;
    while (end < points.size() && splits(points[end]) == splits(points[at])) ++end;
    result += upper(utf8(points.substr(at, 1))) + lower(utf8(points.substr(at + 1, end - at - 1)));
    at = end;
  }
  return result;
}

Value json_of(const Given& given) {
  JsonStyle style;
  style.ensure_ascii = flag(given[1]);
  if (is_given(given[2])) {
    style.indent = indentation(*given[2]);
    style.item_separator = ",";
  }
  if (is_given(given[3])) {
    const std::vector<Value> separators = unpacked(*given[3], 2);
    for (const Value& separator : separators) {
      if (separator.as<std::string>() == nullptr) fail("separators of tojson are no texts");
    }
    style.item_separator = *separators[0].as<std::string>();
    style.key_separator = *separators[1].as<std::string>();
  }
  style.sort_keys = flag(given[4]);
  return to_json(*given[0], style);
}

std::string joined(const Given& given) {
  const std::string between = given[1] ? text_of(*given[1]) : "";
  std::string result;
  bool first = true;
  for (const Value& part : elements_of(*given[0])) {
    result += (first ? "" : between) + text_of(looked_up(part, given[2]));
    first = false;
  }
  return result;
}

Value total(const Given& given) {
  Value sum = given[2].value_or(0);
  if (sum.as<std::string>() != nullptr) fail("sum of texts");
  for (const Value& value : elements_of(*given[0])) sum = arithmetic("+", {sum, looked_up(value, given[1])});
  return sum;
}

Value length(const Value& value) {
  const std::optional<std::int64_t> length = length_of(value);
  if (!length) fail(fmt::format("object of type '{}' has no len()", type_name(value)));
  return *length;
}

Value first(const Value& value) {
  const std::optional<Value> element = iterate(value)();
  return element ? *element : Undefined{"No first item, sequence was empty."};
}

/// The arguments from `from` on, with room for the element before them.
Arguments with_element(const Arguments& arguments, std::size_t from) {
  Arguments rest{{Value()}, arguments.named};
  const std::vector<Value>& all = arguments.positional;
  rest.positional.insert(rest.positional.end(), all.begin() + static_cast<std::ptrdiff_t>(std::min(from, all.size())),
                         all.end());
  return rest;
}

/// map(attribute="name", default=...), or map("filter", ...).
Value mapped(const Arguments& arguments) {
  const Value& values = arguments.positional[0];
  if (arguments.positional.size() == 1) {
    const Given given = arguments_for("map", {{}, arguments.named}, {"attribute", "default"});
    if (!given[0]) fail("map requires a filter argument");
    if (!truth(values)) return nothing();
    return transformed(values,
                       [given](const Value& value) { return looked_up(value, given[0], given[1].value_or(None{})); });
  }
  const std::string name = text_of(arguments.positional[1]);
  Arguments rest = with_element(arguments, 2);
  if (!truth(values)) return nothing();
  return transformed(values, [name, rest](const Value& value) mutable {
    rest.positional[0] = value;
    return filter(name, rest);
  });
}

/// select and reject: a test, or truth where none is named; selectattr and rejectattr: of an attribute.
Value selected(const Arguments& arguments, bool by_attribute, bool keep) {
  std::size_t at = 1;
  std::optional<Value> attribute;
  if (by_attribute) {
    if (arguments.positional.size() < 2) fail("Missing parameter for attribute name");
    attribute = arguments.positional[at++];
  }
  const std::string name = at < arguments.positional.size() ? text_of(arguments.positional[at]) : "";
  const Value& values = arguments.positional[0];
  if (!truth(values)) return nothing();
  return filtered(values, [=, rest = with_element(arguments, at + 1)](const Value& value) mutable {
    rest.positional[0] = looked_up(value, attribute);
    return (name.empty() ? truth(rest.positional[0]) : test(name, rest)) == keep;
  });
}

struct Filter {
  std::vector<std::string_view> parameters;  ///< the subject first
  std::size_t required;
  std::function<Value(const Given& given)> call;
};

const std::map<std::string, Filter, std::less<>>& filters() {
  using With = const Given&;
  static const std::map<std::string, Filter, std::less<>> table = [] {
    std::map<std::string, Filter, std::less<>> all = {
        {"abs", {{""}, 1, [](With given) { return absolute(*given[0]); }}},
        {"capitalize", {{""}, 1, [](With given) { return capitalize(text_of(*given[0])); }}},
        {"center",
         {{"", "width"},
          1,
          [](With given) { return call_method("center", {{text_of(*given[0]), given[1].value_or(80)}}); }}},
        {"default",
         {{"", "default_value", "boolean"},
          1,
          [](With given) {
            const bool missing = given[0]->undefined() || (flag(given[2]) && !truth(*given[0]));
            return missing ? given[1].value_or("") : *given[0];
          }}},
        {"dictsort", {{"", "case_sensitive", "by", "reverse"}, 1, sorted_entries}},
        {"first", {{""}, 1, [](With given) { return first(*given[0]); }}},
        {"float", {{"", "default"}, 1, as_float}},
        {"indent", {{"", "width", "first", "blank"}, 1, indented}},
        {"int", {{"", "default", "base"}, 1, as_int}},
        {"items", {{""}, 1, [](With given) { return entries(*given[0]); }}},
        {"join", {{"", "d", "attribute"}, 1, joined}},
        {"last", {{""}, 1, [](With given) { return last(*given[0]); }}},
        {"length", {{""}, 1, [](With given) { return length(*given[0]); }}},
        {"list", {{""}, 1, [](With given) { return list_of(elements_of(*given[0])); }}},
        {"lower", {{""}, 1, [](With given) { return lower(text_of(*given[0])); }}},
        {"max", {{"", "case_sensitive", "attribute"}, 1, [](With given) { return extreme(given, true); }}},
        {"min", {{"", "case_sensitive", "attribute"}, 1, [](With given) { return extreme(given, false); }}},
        {"replace",
         {{"", "old", "new", "count"},
          3,
          [](With given) {
            return replaced(text_of(*given[0]), text_of(*given[1]), text_of(*given[2]),
                            is_given(given[3]) ? whole(*given[3]) : -1);
          }}},
        {"reverse", {{""}, 1, [](With given) { return reversed(*given[0]); }}},
        {"round", {{"", "precision", "method"}, 1, round}},
        {"sort",
         {{"", "reverse", "case_sensitive", "attribute"},
          1,
          [](With given) {
            return list_of(sorted(
                elements_of(*given[0]), [&](const Value& value) { return sort_keys(value, given[3], flag(given[2])); },
                number_flag(given[1])));
          }}},
        {"safe", {{""}, 1, [](With given) { return Safe{text_of(*given[0])}; }}},
        {"string", {{""}, 1, [](With given) { return given[0]->as<Safe>() ? *given[0] : Value(text_of(*given[0])); }}},
        {"sum", {{"", "attribute", "start"}, 1, total}},
        {"title", {{""}, 1, [](With given) { return titled(text_of(*given[0])); }}},
        {"tojson", {{"", "ensure_ascii", "indent", "separators", "sort_keys"}, 1, json_of}},
        {"trim",
         {{"", "chars"},
          1,
          [](With given) {
            std::vector<Value> strip = {text_of(*given[0])};
            if (given[1]) strip.push_back(*given[1]);
            const Value text = call_method("strip", {std::move(strip)});
            return given[0]->as<Safe>() ? Value(Safe{text_of(text)}) : text;
          }}},
        {"truncate", {{"", "length", "killwords", "end", "leeway"}, 1, truncated}},
        {"unique", {{"", "case_sensitive", "attribute"}, 1, unique}},
        {"wordcount", {{""}, 1, [](With given) { return words(text_of(*given[0])); }}},
        {"upper", {{""}, 1, [](With given) { return upper(text_of(*given[0])); }}},
    };
    all["count"] = all.at("length");
    all["d"] = all.at("default");
    return all;
  }();
  return table;
}

/// Filters whose arguments are another filter's or a test's.
const std::map<std::string, std::function<Value(const Arguments&)>, std::less<>>& open_filters() {
  static const std::map<std::string, std::function<Value(const Arguments&)>, std::less<>> table = {
      {"map", mapped},
      {"select", [](const Arguments& arguments) { return selected(arguments, false, true); }},
      {"reject", [](const Arguments& arguments) { return selected(arguments, false, false); }},
      {"selectattr", [](const Arguments& arguments) { return selected(arguments, true, true); }},
      {"rejectattr", [](const Arguments& arguments) { return selected(arguments, true, false); }},
      {"format", [](const Arguments& arguments) {
         const std::string text = text_of(arguments.positional[0]);
         std::vector<Value> values(arguments.positional.begin() + 1, arguments.positional.end());
         if (arguments.named.empty()) return percent_formatted(text, tuple_of(std::move(values)));
         if (!values.empty()) fail("can't handle positional and keyword arguments at the same time");
         Dict named;
         for (const auto& [name, value] : arguments.named) named.set(name, value);
         return percent_formatted(text, named);
       }}};
  return table;
}

}  // namespace

Value filter(std::string_view name, const Arguments& arguments) {
  // Where Jinja neither escapes nor makes a text of another kind.
  static const std::set<std::string_view> take_safe = {"count",  "d",          "default", "length", "map",
                                                       "reject", "safe",       "select",  "string", "selectattr",
                                                       "tojson", "rejectattr", "trim"};
  const auto safe = [](const Value& value) { return value.as<Safe>() != nullptr; };
  const bool has_safe = std::ranges::any_of(arguments.positional, safe) ||
                        std::ranges::any_of(arguments.named, safe, &std::pair<std::string, Value>::second);
  if (has_safe && !take_safe.contains(name)) {
    fail(fmt::format("the filter '{}' of a text that is marked as safe", name));
  }
  if (const auto open = open_filters().find(name); open != open_filters().end()) return open->second(arguments);
  const auto found = filters().find(name);
  if (found == filters().end()) fail(fmt::format("the filter '{}' is not known", name));
  const Given given = arguments_for(name, arguments, found->second.parameters);
  for (std::size_t i = 0; i < found->second.required; ++i) {
    if (!given[i]) fail(fmt::format("the filter '{}' needs more arguments", name));
  }
  return found->second.call(given);
}

bool knows_filter(std::string_view name) { return filters().contains(name) || open_filters().contains(name); }

}  // namespace monomorph::chat
