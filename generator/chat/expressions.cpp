#include "generator/chat/expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runtime/chat/filters.hpp"
#include "runtime/chat/methods.hpp"

namespace monomorph::generator::chat {
namespace {

namespace known = monomorph::chat;

/// Compilers take no expression within expressions without end.
constexpr int deepest = 100;

const std::map<std::string, const char*> arithmetic = {{"Add", "+"},       {"Sub", "-"}, {"Mul", "*"}, {"Div", "/"},
                                                       {"FloorDiv", "//"}, {"Mod", "%"}, {"Pow", "**"}};
const std::map<std::string, const char*> comparisons = {{"eq", "=="},   {"ne", "!="},       {"lt", "<"},
                                                        {"lteq", "<="}, {"gt", ">"},        {"gteq", ">="},
                                                        {"in", "in"},   {"notin", "not in"}};
/// Names that Jinja gives a meaning of its own.
const std::set<std::string> reserved = {"self", "super", "lipsum", "cycler", "joiner"};

std::string constant(const Node& node) {
  const Node& value = node.at("value");
  if (value.is_null()) return "Value(None{})";
  if (value.is_boolean()) return value.boolean() ? "Value(true)" : "Value(false)";
  if (value.is_string()) return "Value(" + cpp_text(value.string()) + ")";
  if (value.is_integer()) return fmt::format("Value(std::int64_t{{{}}})", value.integer());
  if (!(value.is_number() && !value.is_integer())) refuse(node, "a constant that is no text, number, boolean or none");
  const std::string number = fmt::format("{}", value.real());
  return fmt::format("Value({}{})", number, number.find_first_of(".e") == std::string::npos ? ".0" : "");
}

/// A name that no other name in any frame becomes, and no word of C++ with a letter before it: as it is where its
/// letters are ASCII's, else by its bytes.
std::string numbered(int frame, const std::string& name) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (std::all_of(name.begin(), name.end(), plain)) return fmt::format("{}_{}", frame, name);
  std::string bytes;
  for (const unsigned char c : name) bytes += fmt::format("{:02x}", c);
  return fmt::format("{}x{}", frame, bytes);
}

/// What is computed only sometimes, as a function of its own where it has braces: where an exception leaves an
/// aggregate in a condition half made, GCC ends the lives of its parts before it calls their destructors.
std::string alone(const std::string& text) {
  return text.find('{') == std::string::npos ? text : "[&] { return " + text + "; }()";
}

/// Of a call, a filter or a test.
bool has_no_arguments(const Node& node) {
  return node.at("args").empty() && node.at("kwargs").empty() && node.at("dyn_args").is_null() &&
         node.at("dyn_kwargs").is_null();
}

std::string text_field(const Node& node, const char* field) { return node.at(field).string(); }

}  // namespace

std::string Expressions::variable(int frame, const std::string& name) { return "v" + numbered(frame, name); }

std::string Expressions::macro(int frame, const std::string& name) { return "m" + numbered(frame, name); }

bool Expressions::is_callable(const Node& node, const Frame& frame) const {
  const std::string word = text_field(node, "name");
  return names_.macros.contains(word) || (word == "caller" && frame.is_parameter(word));
}

std::string Expressions::callable(const Node& node, const Frame& frame) const {
  const std::string word = text_field(node, "name");
  return macro(frame.owner(word), word);
}

std::string Expressions::name(const Node& node, const Frame& frame) {
  const std::string word = text_field(node, "name");
  if (reserved.contains(word)) refuse(node, fmt::format("'{}'", word));
  if (is_callable(node, frame)) refuse(node, fmt::format("the macro '{}' as a value that is not called", word));
  const int owner = frame.owner(word);
  if (owner < 0) refuse(node, fmt::format("'{}' in the filter of a set block", word));
  if (known::knows_function(word)) refuse(node, fmt::format("the function '{}' as a value that is not called", word));
  return variable(owner, word);
}

std::string Expressions::list(const Node& nodes, const Frame& frame) {
  std::string text;
  for (const Node& node : nodes) text += (text.empty() ? "" : ", ") + value(node, frame);
  return "{" + text + "}";
}

std::string Expressions::arguments(const Node& node, const std::string& first, const Frame& frame) {
  if (!node.at("dyn_args").is_null() || !node.at("dyn_kwargs").is_null()) {
    refuse(node, "arguments that a list or a dict gives (*args, **kwargs)");
  }
  std::string positional = first, named;
  std::set<std::string> names;
  for (const Node& argument : node.at("args")) positional += (positional.empty() ? "" : ", ") + value(argument, frame);
  for (const Node& argument : node.at("kwargs")) {
    if (!names.insert(text_field(argument, "key")).second) refuse(node, "an argument that is given twice");
    named += fmt::format("{}{{std::string({}), {}}}", named.empty() ? "" : ", ", cpp_text(text_field(argument, "key")),
                         value(argument.at("value"), frame));
  }
  return fmt::format("Arguments{{{{{}}}, {{{}}}}}", positional, named);
}

std::string Expressions::macro_call(const Node& call, const std::string& caller, const Frame& frame) {
  const Node& callee = call.at("node");
  if (!is(callee, "Name") || !is_callable(callee, frame)) {
    refuse(call, "a call block of something that is no macro");
  }
  for (const Node& argument : call.at("kwargs")) {
    if (argument.at("key") == "caller") refuse(call, "an argument of the name 'caller'");
  }
  return fmt::format("{}({}{})", callable(callee, frame), arguments(call, "", frame),
                     caller.empty() ? "" : ", &" + caller);
}

std::string Expressions::call(const Node& node, const Frame& frame) {
  const Node& callee = node.at("node");
  if (is(callee, "Getattr")) {
    const std::string method = text_field(callee, "attr");
    if (!known::knows_method(method)) refuse(node, fmt::format("the method '{}'", method));
    return fmt::format("call_method({}, {})", cpp_text(method),
                       arguments(node, value(callee.at("node"), frame), frame));
  }
  if (!is(callee, "Name")) return "call_value(" + value(callee, frame) + ")";
  const std::string word = text_field(callee, "name");
  if (is_callable(callee, frame)) return macro_call(node, "", frame);
  if (known::knows_function(word)) {
    return fmt::format("call_function({}, scope, {})", cpp_text(word), arguments(node, "", frame));
  }
  return "call_value(" + name(callee, frame) + ")";
}

std::string Expressions::filtered(const Node& filter, const std::string& subject, const Frame& frame) {
  const std::string word = text_field(filter, "name");
  if (!known::knows_filter(word)) refuse(filter, fmt::format("the filter '{}'", word));
  // Filters and tests may be named by a constant, and are known then.
  const bool tests = word == "select" || word == "reject" || word == "selectattr" || word == "rejectattr";
  const std::size_t place = word.ends_with("attr") ? 1 : 0;
  if ((tests || word == "map") && filter.at("args").size() > place && is(filter.at("args")[place], "Const")) {
    const Node& named = filter.at("args")[place].at("value");
    const bool fine = named.is_string() && (tests ? known::knows_test : known::knows_filter)(named.string());
    if (!fine) refuse(filter, fmt::format("the {} {} in '{}'", tests ? "test" : "filter", named.dump(), word));
  }
  const Node& inner = filter.at("node");
  const std::string first = inner.is_null()       ? subject
                            : is(inner, "Filter") ? filtered(inner, subject, frame)
                                                  : value(inner, frame);
  return fmt::format("filter({}, {})", cpp_text(word), arguments(filter, first, frame));
}

std::string Expressions::tested(const Node& node, const Frame& frame) {
  const std::string word = text_field(node, "name");
  if (!known::knows_test(word)) refuse(node, fmt::format("the test '{}'", word));
  const Node& subject = node.at("node");
  const bool asks_what = word == "defined" || word == "undefined" || word == "callable";
  if (is(subject, "Name") && asks_what && has_no_arguments(node)) {
    // What is no value can be asked for all the same.
    const std::string asked = text_field(subject, "name");
    if (known::knows_function(asked)) return word == "undefined" ? "false" : "true";
    if (is_callable(subject, frame)) {
      if (word == "callable") return "true";  // as what is undefined is, too
      return fmt::format("{}{}.defined()", word == "undefined" ? "!" : "", callable(subject, frame));
    }
  }
  return fmt::format("test({}, {})", cpp_text(word), arguments(node, value(subject, frame), frame));
}

std::string Expressions::comparison(const Node& node, const Frame& frame) {
  const Node& operands = node.at("ops");
  const auto by = [&](std::size_t i) { return cpp_text(comparisons.at(text_field(operands[i], "op"))); };
  const std::string first = value(node.at("expr"), frame);
  if (operands.size() == 1) {
    return fmt::format("compare({}, {{{}, {}}})", by(0), first, value(operands[0].at("expr"), frame));
  }
  // a < b < c: each is computed once, and only while the chain holds.
  std::string text = fmt::format("[&] {{ Value left = {}; ", first);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    text += fmt::format("{{ Value right = {}; if (!compare({}, {{left, right}})) return false; left = right; }} ",
                        value(operands[i].at("expr"), frame), by(i));
  }
  return text + "return true; }()";
}

std::string Expressions::item(const Node& node, const Frame& frame) {
  const Node& key = node.at("arg");
  const std::string object = value(node.at("node"), frame);
  if (!is(key, "Slice")) return fmt::format("item({{{}, {}}})", object, value(key, frame));
  std::string bounds;
  for (const char* const bound : {"start", "stop", "step"}) {
    bounds += ", " + (key.at(bound).is_null() ? std::string("Value(None{})") : value(key.at(bound), frame));
  }
  return fmt::format("slice({{{}{}}})", object, bounds);
}

std::string Expressions::condition(const Node& node, const Frame& frame) {
  if (is(node, "Compare")) return comparison(node, frame);
  if (is(node, "Name") && is_callable(node, frame)) return callable(node, frame) + ".defined()";
  if (is(node, "Test")) return tested(node, frame);
  if (++depth_ > deepest) refuse(node, "expressions within expressions, too many");
  std::string text;
  if (is(node, "Not")) {
    text = "!" + condition(node.at("node"), frame);
  } else if (is(node, "And") || is(node, "Or")) {
    text = fmt::format("({} {} {})", alone(condition(node.at("left"), frame)), is(node, "And") ? "&&" : "||",
                       alone(condition(node.at("right"), frame)));
  } else {
    text = "truth(" + value(node, frame) + ")";
  }
  --depth_;
  return text;
}

std::string Expressions::value(const Node& node, const Frame& frame) {
  if (++depth_ > deepest) refuse(node, "expressions within expressions, too many");
  const std::string kind = text_field(node, "kind");
  const auto part = [&](const char* field) { return value(node.at(field), frame); };
  std::string text;
  if (kind == "Const") {
    text = constant(node);
  } else if (kind == "TemplateData") {
    text = "Value(" + cpp_text(text_field(node, "data")) + ")";
  } else if (kind == "Name") {
    text = name(node, frame);
  } else if (kind == "Tuple" || kind == "List") {
    text = fmt::format("{}_of({})", kind == "Tuple" ? "tuple" : "list", list(node.at("items"), frame));
  } else if (kind == "Dict") {
    for (const Node& pair : node.at("items")) {
      text += fmt::format("{}{{{}, {}}}", text.empty() ? "" : ", ", value(pair.at("key"), frame),
                          value(pair.at("value"), frame));
    }
    text = "dict_of({" + text + "})";
  } else if (const auto by = arithmetic.find(kind); by != arithmetic.end()) {
    text = fmt::format("arithmetic(\"{}\", {{{}, {}}})", by->second, part("left"), part("right"));
  } else if (kind == "Neg" || kind == "Pos") {
    text = fmt::format("{}({})", kind == "Neg" ? "negative" : "positive", part("node"));
  } else if (kind == "And" || kind == "Or") {
    text = fmt::format("{}({}, [&] {{ return {}; }})", kind == "And" ? "both" : "either", part("left"), part("right"));
  } else if (kind == "Not" || kind == "Compare" || kind == "Test") {
    text = "Value(" + condition(node, frame) + ")";
  } else if (kind == "Concat") {
    text = "concatenated(" + list(node.at("nodes"), frame) + ")";
  } else if (kind == "CondExpr") {
    const Node& otherwise = node.at("expr2");
    text = fmt::format("({} ? {} : {})", alone(condition(node.at("test"), frame)), alone(part("expr1")),
                       otherwise.is_null() ? "Value(Undefined{\"an inline if that is false has no else\"})"
                                           : alone(value(otherwise, frame)));
  } else if (kind == "Getattr") {
    text = fmt::format("attribute({}, {})", part("node"), cpp_text(text_field(node, "attr")));
  } else if (kind == "Getitem") {
    text = item(node, frame);
  } else if (kind == "Filter") {
    text = filtered(node, "", frame);
  } else if (kind == "Call") {
    text = call(node, frame);
  } else {
    refuse(node, fmt::format("an expression of the kind {}", kind));
  }
  --depth_;
  return text;
}

}  // namespace monomorph::generator::chat
