#include "runtime/chat/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "runtime/chat/format.hpp"
#include "runtime/chat/given.hpp"
#include "runtime/chat/loop.hpp"
#include "runtime/chat/operators.hpp"
#include "runtime/chat/print.hpp"
#include "runtime/chat/text.hpp"

namespace monomorph::chat {
namespace {

/// A method of str: its parameters, of which the first `required` have to be given, and what it does.
struct TextMethod {
  std::vector<std::string_view> parameters;
  std::size_t required;
  std::function<Value(const std::string& text, const Given& given)> call;
};

const std::string& text_in(const Value& value) {
  const std::string* const text = value.as<std::string>();
  if (text == nullptr) fail("a str is required, not " + type_name(value));
  return *text;
}

std::int64_t whole(const std::optional<Value>& value, std::int64_t otherwise) {
  return value ? whole(*value) : otherwise;
}

std::string strip(const std::string& text, const Given& given, bool left, bool right) {
  if (!is_given(given[0])) return stripped(text, is_space, left, right);
  const std::u32string drop = code_points(text_in(*given[0]));
  return stripped(text, [&](char32_t point) { return drop.find(point) != std::u32string::npos; }, left, right);
}

Value texts(std::vector<std::string> parts) {
  std::vector<Value> values(std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
  return list_of(std::move(values));
}

Value split(const std::string& text, const Given& given, bool from_right) {
  const std::int64_t most = whole(given[1], -1);
  if (!is_given(given[0])) return texts(split_at_space(text, most, from_right));
  if (text_in(*given[0]).empty()) fail("empty separator");
  return texts(split_at(text, text_in(*given[0]), most, from_right));
}

Value partition(const std::string& text, const Given& given, bool from_right) {
  const std::string& separator = text_in(*given[0]);
  if (separator.empty()) fail("empty separator");
  const std::vector<std::string> parts = split_at(text, separator, 1, from_right);
  if (parts.size() == 2) return tuple_of({parts[0], separator, parts[1]});
  return from_right ? tuple_of({"", "", text}) : tuple_of({text, "", ""});
}

/// The part of a text that a method looks at, from its second argument to its third; nothing where they pass each
/// other.
struct Part {
  std::string text;
  std::int64_t begin;
};
std::optional<Part> looked_at(const std::string& text, const Given& given) {
  const std::int64_t size = *length_of(text);
  const auto place = [&](const std::optional<Value>& value, std::int64_t otherwise) {
    const std::int64_t at = is_given(value) ? whole(value, 0) : otherwise;
    return at < 0 ? std::max<std::int64_t>(at + size, 0) : at;
  };
  const std::int64_t begin = place(given[1], 0), end = std::min(place(given[2], size), size);
  if (begin > end) return std::nullopt;
  return Part{*slice({text, begin, end, None{}}).as<std::string>(), begin};
}

/// startswith and endswith, of one text or a tuple of them.
Value begins(const std::string& whole_text, const Given& given, bool at_end) {
  const std::optional<Part> part = looked_at(whole_text, given);
  const std::string text = part ? part->text : "";
  const auto one = [&](const Value& wanted) {
    const std::string& affix = text_in(wanted);
    return part && (at_end ? text.ends_with(affix) : text.starts_with(affix));
  };
  const Sequence* const several = given[0]->sequence();
  if (several == nullptr || several->kind != SequenceKind::tuple) return one(*given[0]);
  return std::any_of(several->elements.begin(), several->elements.end(), one);
}

/// The place of a part by code points, or -1.
std::int64_t place(const std::string& text, const Given& given, bool last) {
  const std::string& wanted = text_in(*given[0]);
  const std::optional<Part> part = looked_at(text, given);
  const std::size_t at = !part ? std::string::npos : last ? part->text.rfind(wanted) : part->text.find(wanted);
  return at == std::string::npos ? -1 : part->begin + *length_of(part->text.substr(0, at));
}

std::int64_t found_place(const std::string& text, const Given& given, bool last) {
  const std::int64_t at = place(text, given, last);
  if (at < 0) fail("substring not found");
  return at;
}

std::int64_t count(const std::string& text, const Given& given) {
  const std::string& wanted = text_in(*given[0]);
  const std::optional<Part> part = looked_at(text, given);
  if (!part) return 0;
  if (wanted.empty()) return *length_of(part->text) + 1;
  return static_cast<std::int64_t>(split_at(part->text, wanted, -1, false).size()) - 1;
}

/// ljust, rjust and center: `left` of the missing characters go to the left.
std::string filled(const std::string& text, const Given& given,
                   const std::function<std::int64_t(std::int64_t missing, std::int64_t width)>& left) {
  const std::string fill = given[1] ? text_in(*given[1]) : " ";
  if (length_of(fill) != 1) fail("The fill character must be exactly one character long");
  const std::int64_t width = whole(given[0], 0), missing = width - *length_of(text);
  if (missing <= 0) return text;
  const std::int64_t before = left(missing, width);
  const auto times = [&](std::int64_t number) { return *arithmetic("*", {fill, number}).as<std::string>(); };
  return times(before) + text + times(missing - before);
}

std::string with_zeros(const std::string& text, const Given& given) {
  const std::int64_t missing = whole(given[0], 0) - *length_of(text);
  if (missing <= 0) return text;
  const std::size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  return text.substr(0, sign) + *arithmetic("*", {"0", missing}).as<std::string>() + text.substr(sign);
}

std::string joined(const std::string& text, const Value& parts) {
  std::string result;
  bool first = true;
  for (const Value& part : elements_of(parts)) {
    result += first ? text_in(part) : text + text_in(part);
    first = false;
  }
  return result;
}

const std::map<std::string, TextMethod, std::less<>>& text_methods() {
  static const std::map<std::string, TextMethod, std::less<>> methods = [] {
    using Text = const std::string&;
    using With = const Given&;
    const std::vector<std::string_view> places = {"", "", ""};
    std::map<std::string, TextMethod, std::less<>> table = {
        {"upper", {{}, 0, [](Text text, With) { return upper(text); }}},
        {"lower", {{}, 0, [](Text text, With) { return lower(text); }}},
        {"title", {{}, 0, [](Text text, With) { return title(text); }}},
        {"capitalize", {{}, 0, [](Text text, With) { return capitalize(text); }}},
        {"strip", {{""}, 0, [](Text text, With given) { return strip(text, given, true, true); }}},
        {"lstrip", {{""}, 0, [](Text text, With given) { return strip(text, given, true, false); }}},
        {"rstrip", {{""}, 0, [](Text text, With given) { return strip(text, given, false, true); }}},
        {"split", {{"sep", "maxsplit"}, 0, [](Text text, With given) { return split(text, given, false); }}},
        {"rsplit", {{"sep", "maxsplit"}, 0, [](Text text, With given) { return split(text, given, true); }}},
        {"splitlines",
         {{"keepends"}, 0, [](Text text, With given) { return texts(split_lines(text, whole(given[0], 0) != 0)); }}},
        {"partition", {{""}, 1, [](Text text, With given) { return partition(text, given, false); }}},
        {"rpartition", {{""}, 1, [](Text text, With given) { return partition(text, given, true); }}},
        {"startswith", {places, 1, [](Text text, With given) { return begins(text, given, false); }}},
        {"endswith", {places, 1, [](Text text, With given) { return begins(text, given, true); }}},
        {"find", {places, 1, [](Text text, With given) { return place(text, given, false); }}},
        {"rfind", {places, 1, [](Text text, With given) { return place(text, given, true); }}},
        {"index", {places, 1, [](Text text, With given) { return found_place(text, given, false); }}},
        {"rindex", {places, 1, [](Text text, With given) { return found_place(text, given, true); }}},
        {"count", {places, 1, [](Text text, With given) { return count(text, given); }}},
        {"replace",
         {{"", "", ""},
          2,
          [](Text text, With given) {
            return replaced(text, text_in(*given[0]), text_in(*given[1]), whole(given[2], -1));
          }}},
        {"removeprefix",
         {{""},
          1,
          [](Text text, With given) {
            const std::string& part = text_in(*given[0]);
            return text.starts_with(part) ? text.substr(part.size()) : text;
          }}},
        {"removesuffix",
         {{""},
          1,
          [](Text text, With given) {
            const std::string& part = text_in(*given[0]);
            return text.ends_with(part) ? text.substr(0, text.size() - part.size()) : text;
          }}},
        {"join", {{""}, 1, [](Text text, With given) { return joined(text, *given[0]); }}},
        {"zfill", {{""}, 1, [](Text text, With given) { return with_zeros(text, given); }}},
        {"ljust",
         {{"", ""},
          1,
          [](Text text, With given) { return filled(text, given, [](auto, auto) { return std::int64_t{0}; }); }}},
        {"rjust",
         {{"", ""},
          1,
          [](Text text, With given) { return filled(text, given, [](auto missing, auto) { return missing; }); }}},
        {"center",
         {{"", ""},
          1,
          [](Text text, With given) {
            return filled(text, given, [](auto missing, auto width) { return missing / 2 + (missing & width & 1); });
          }}},
    };
    for (const char* name :
         {"isspace", "isalpha", "isascii", "isupper", "islower", "isdecimal", "isdigit", "isalnum"}) {
      table[name] = {{}, 0, [name](Text text, With) { return all_are(name, text); }};
    }
    return table;
  }();
  return methods;
}

Value call_text(const std::string& text, std::string_view name, const Arguments& arguments) {
  if (name == "format") return brace_formatted(text, arguments);
  const auto method = text_methods().find(name);
  if (method == text_methods().end()) fail(fmt::format("the method str.{} is not known", name));
  const Given given = arguments_for("str." + method->first, arguments, method->second.parameters);
  for (std::size_t i = 0; i < method->second.required; ++i) {
    if (!given[i]) fail(fmt::format("str.{} needs more arguments", name));
  }
  return method->second.call(text, given);
}

Value call_dict(const Dict& dict, std::string_view name, const Arguments& arguments) {
  if (name == "get") {
    const auto given = arguments_for("dict.get", arguments, {"", ""});
    if (!given[0]) fail("dict.get needs a key");
    require_hashable(*given[0]);
    const Value* const found = dict.find(*given[0]);
    return found != nullptr ? *found : given[1].value_or(None{});
  }
  const bool keys = name == "keys", values = name == "values";
  if (name == "copy") return dict;
  if (!keys && !values && name != "items") fail(fmt::format("the method dict.{} is not known, or changes it", name));
  arguments_for("dict." + std::string(name), arguments, {});
  Sequence view{SequenceKind::view, {}, "dict_" + std::string(name)};
  for (const auto& [key, value] : dict.entries) {
    view.elements.push_back(keys ? key : values ? value : tuple_of({key, value}));
  }
  return view;
}

Value call_sequence(const Value& object, std::string_view name, const Arguments& arguments) {
  const std::vector<Value>& elements = object.sequence()->elements;
  const bool list = object.sequence()->kind == SequenceKind::list;
  if (list && name == "copy") return object;
  if (object.sequence()->kind == SequenceKind::view || (name != "index" && name != "count")) {
    fail(fmt::format("the method {}.{} is not known, or changes it", type_name(object), name));
  }
  const auto given = arguments_for(name, arguments, {""});
  if (!given[0]) fail(fmt::format("{}.{} needs an argument", type_name(object), name));
  const auto is = [&](const Value& element) { return equal(element, *given[0]); };
  if (name == "count") return static_cast<std::int64_t>(std::count_if(elements.begin(), elements.end(), is));
  const auto found = std::find_if(elements.begin(), elements.end(), is);
  if (found == elements.end()) fail("a value is not in the list");
  return static_cast<std::int64_t>(found - elements.begin());
}

using Names = std::set<std::string_view>;

const Names text_names = {
    "capitalize",   "casefold",   "center",    "count",       "encode",    "endswith",     "expandtabs",   "find",
    "format",       "format_map", "index",     "isalnum",     "isalpha",   "isascii",      "isdecimal",    "isdigit",
    "isidentifier", "islower",    "isnumeric", "isprintable", "isspace",   "istitle",      "isupper",      "join",
    "ljust",        "lower",      "lstrip",    "maketrans",   "partition", "removeprefix", "removesuffix", "replace",
    "rfind",        "rindex",     "rjust",     "rpartition",  "rsplit",    "rstrip",       "split",        "splitlines",
    "startswith",   "strip",      "swapcase",  "title",       "translate", "upper",        "zfill"};
const Names dict_names = {"clear", "copy",    "fromkeys",   "get",    "items", "keys",
                          "pop",   "popitem", "setdefault", "update", "values"};
const Names list_names = {"append", "clear", "copy",   "count",   "extend", "index",
                          "insert", "pop",   "remove", "reverse", "sort"};
const Names tuple_names = {"count", "index"};
const Names view_names = {"isdisjoint", "mapping"};
const Names range_names = {"count", "index", "start", "step", "stop"};
const Names generator_names = {"close", "send", "throw"};
const Names number_names = {"as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator",
                            "from_bytes",       "fromhex",   "hex",        "imag",      "is_integer",
                            "numerator",        "real",      "to_bytes"};

}  // namespace

Value call_method(std::string_view name, const Arguments& all) {
  const Value& object = all.positional.at(0);
  const Arguments arguments{{all.positional.begin() + 1, all.positional.end()}, all.named};
  need_defined(object);
  if (const std::string* text = object.as<std::string>()) return call_text(*text, name, arguments);
  if (object.loop() != nullptr) return object.loop()->call(name, arguments);
  if (is_method(object, name)) {
    if (object.dict() != nullptr) return call_dict(*object.dict(), name, arguments);
    if (object.sequence() != nullptr) return call_sequence(object, name, arguments);
  }
  fail(fmt::format("{}.{} cannot be called", type_name(object), name));
}

bool is_method(const Value& object, std::string_view name) {
  if (object.as<std::string>() != nullptr) return text_names.contains(name);
  if (object.dict() != nullptr) return dict_names.contains(name);
  if (object.number()) return number_names.contains(name);
  if (object.generator() != nullptr) return generator_names.contains(name) || name.starts_with("gi_");
  if (object.sequence() == nullptr) return false;
  switch (object.sequence()->kind) {
    case SequenceKind::list:
      return list_names.contains(name);
    case SequenceKind::tuple:
      return tuple_names.contains(name);
    case SequenceKind::view:
      return view_names.contains(name);
    default:
      return range_names.contains(name);
  }
}

bool is_data(const Value& object, std::string_view name) {
  static const Names data = {"denominator", "imag", "mapping", "numerator", "real", "start", "step", "stop"};
  return is_method(object, name) && (data.contains(name) || name.starts_with("gi_"));
}

bool would_change(const Value& object, std::string_view name) {
  static const Names dict = {"clear", "pop", "popitem", "setdefault", "update"};
  static const Names list = {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"};
  if (object.dict() != nullptr) return dict.contains(name);
  return object.sequence() != nullptr && object.sequence()->kind == SequenceKind::list && list.contains(name);
}

bool knows_method(std::string_view name) {
  static const Names others = {"format", "get", "items", "keys", "values", "copy", "cycle", "changed"};
  // Those that would change a value are known to fail.
  if (list_names.contains(name) || (dict_names.contains(name) && name != "fromkeys")) return true;
  return text_methods().contains(name) || others.contains(name);
}

}  // namespace monomorph::chat
