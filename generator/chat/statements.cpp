// Statements of a chat template as lines of C++.
#include <fmt/format.h>

#include "generator/chat/expressions.hpp"
#include "generator/chat/names.hpp"
#include "runtime/chat/filters.hpp"

namespace monomorph::generator {
namespace chat {
namespace {

namespace known = monomorph::chat;

class Statements {
 public:
  explicit Statements(const Names& names) : names_(names), expressions_(names) {}

  ChatBody function(const Node& tree) {
    Frame root(nullptr, 0);
    root.analyze(tree);
    line("std::string out;");
    enter(root);
    write_all(tree.at("body"), root);
    line("return out;");
    return std::move(lines_);
  }

 private:
  void line(std::string text) { lines_.push_back(std::move(text)); }

  /// The frame's own variables, as they begin.
  void enter(const Frame& frame) {
    for (const auto& [name, binding] : frame.bindings()) {
      if (binding.kind == Binding::Kind::parameter || known::knows_function(name)) continue;
      if (names_.macros.contains(name)) {
        const bool outer = binding.kind == Binding::Kind::outer;
        line(fmt::format("Macro {}{{{}}};", Expressions::macro(frame.number(), name),
                         outer ? Expressions::macro(binding.frame, name) : cpp_text(name)));
        continue;
      }
      const std::string variable = Expressions::variable(frame.number(), name);
      if (binding.kind == Binding::Kind::resolved) {
        line(fmt::format("Value {} = scope.find({});", variable, cpp_text(name)));
      } else if (binding.kind == Binding::Kind::outer) {
        line(fmt::format("Value {} = {};", variable, Expressions::variable(binding.frame, name)));
      } else {
        line(
            fmt::format("Value {} = Undefined{{std::string({})}};", variable, cpp_text("'" + name + "' is undefined")));
      }
    }
  }

  void write_all(const Node& nodes, const Frame& frame) {
    for (const Node& node : nodes) write(node, frame);
  }

  void write(const Node& node, const Frame& frame) {
    if (++depth_ > 60) refuse(node, "statements within statements, too many");
    const std::string kind = node.at("kind").string();
    if (kind == "Output") {
      output(node, frame);
    } else if (kind == "If") {
      branches(node, frame);
    } else if (kind == "For") {
      loop(node, frame);
    } else if (kind == "Assign") {
      assign(node.at("target"), expressions_.value(node.at("node"), frame), frame, false);
    } else if (kind == "AssignBlock" || kind == "FilterBlock") {
      captured(node, frame);
    } else if (kind == "With") {
      with(node, frame);
    } else if (kind == "Macro") {
      macro(node, frame);
    } else if (kind == "CallBlock") {
      call_block(node, frame);
    } else if (kind == "Break" || kind == "Continue") {
      if (!in_loop_) refuse(node, "a break or continue outside of a loop");
      line(kind == "Break" ? "break;" : "continue;");
    } else {
      refuse(node, fmt::format("a statement of the kind {}", kind));
    }
    --depth_;
  }

  void output(const Node& node, const Frame& frame) {
    for (const Node& part : node.at("nodes")) {
      if (is(part, "TemplateData")) {
        line(fmt::format("{} += {};", out_, cpp_text(part.at("data").string())));
        continue;
      }
      line(fmt::format("{} += text_of({});", out_, expressions_.value(part, frame)));
    }
  }

  void branches(const Node& node, const Frame& frame) {
    line(fmt::format("if ({}) {{", expressions_.condition(node.at("test"), frame)));
    write_all(node.at("body"), frame);
    for (const Node& other : node.at("elif_")) {
      line(fmt::format("}} else if ({}) {{", expressions_.condition(other.at("test"), frame)));
      write_all(other.at("body"), frame);
    }
    if (!node.at("else_").empty()) {
      line("} else {");
      write_all(node.at("else_"), frame);
    }
    line("}");
  }

  /// Sets, or with `declares` makes, the variables of a target.
  void assign(const Node& target, const std::string& value, const Frame& frame, bool declares) {
    const char* const type = declares ? "Value " : "";
    if (is(target, "Name")) {
      const auto name = target.at("name").string();
      line(fmt::format("{}{} = {};", type, Expressions::variable(frame.owner(name), name), value));
    } else if (is(target, "NSRef")) {
      const auto name = target.at("name").string();
      if (names_.macros.contains(name)) refuse(target, fmt::format("an attribute of the macro '{}'", name));
      line(fmt::format("set_attribute({}, {}, {});", Expressions::variable(frame.owner(name), name),
                       cpp_text(target.at("attr").string()), value));
    } else if (is(target, "Tuple")) {
      const std::string parts = fmt::format("parts_{}", ++count_);
      line(fmt::format("const std::vector<Value> {} = unpacked({}, {});", parts, value, target.at("items").size()));
      for (std::size_t i = 0; i < target.at("items").size(); ++i) {
        assign(target.at("items")[i], fmt::format("{}[{}]", parts, i), frame, declares);
      }
    } else {
      refuse(target, "a target of the kind " + target.at("kind").string());
    }
  }

  /// `value` as tuples within tuples, as a target has its names.
  std::string rebuilt(const Node& target, const std::string& value) {
    if (!is(target, "Tuple")) return value;
    const std::string parts = fmt::format("parts_{}", ++count_);
    std::string elements;
    for (std::size_t i = 0; i < target.at("items").size(); ++i) {
      elements += (i == 0 ? "" : ", ") + rebuilt(target.at("items")[i], fmt::format("{}[{}]", parts, i));
    }
    return fmt::format("[](const std::vector<Value>& {}) {{ return tuple_of({{{}}}); }}(unpacked({}, {}))", parts,
                       elements, value, target.at("items").size());
  }

  void loop(const Node& node, const Frame& frame) {
    if (node.at("recursive").boolean()) refuse(node, "a recursive loop");
    Frame body(&frame, ++count_), test(&frame, ++count_), other(&frame, ++count_);
    const bool uses_loop = reads(node.at("body"), "loop");
    if (uses_loop) body.declare_parameter("loop");
    body.analyze(node);
    std::string elements = expressions_.value(node.at("iter"), frame);
    const std::string name = fmt::format("loop_{}", body.number());
    line("{");
    if (!node.at("test").is_null()) {
      if (reads(node.at("test"), "loop")) refuse(node, "the loop's variable in its own filter");
      test.analyze(node, "test");
      line(fmt::format("const auto keep_{} = [&](const Value& element) -> bool {{", body.number()));
      assign(node.at("target"), "element", test, true);
      enter(test);
      line(fmt::format("return {}; }};", expressions_.condition(node.at("test"), test)));
      elements = fmt::format("filtered({}, keep_{})", elements, body.number());
      // What Jinja's own filter gives on is made anew of the target's names.
      if (uses_loop && is(node.at("target"), "Tuple")) {
        elements = fmt::format("transformed({}, [](const Value& element) {{ return {}; }})", elements,
                               rebuilt(node.at("target"), "element"));
      }
    }
    line(fmt::format("Loop {}({});", name, elements));
    // Jinja takes a loop for empty whose every turn was broken off.
    const bool has_else = !node.at("else_").empty();
    if (has_else) line(fmt::format("bool empty_{} = true;", body.number()));
    line(fmt::format("while ({}.next()) {{", name));
    if (uses_loop) line(fmt::format("Value {} = {}.variable();", Expressions::variable(body.number(), "loop"), name));
    assign(node.at("target"), name + ".item()", body, true);
    enter(body);
    const bool outside = in_loop_;
    in_loop_ = true;
    write_all(node.at("body"), body);
    in_loop_ = outside;
    if (has_else) line(fmt::format("empty_{} = false;", body.number()));
    line("}");
    if (has_else) {
      // The target is not known there.
      const Node rest = Node::object({{"kind", "Scope"}, {"line", node.at("line")}, {"body", node.at("else_")}});
      other.analyze(rest);
      line(fmt::format("if (empty_{}) {{", body.number()));
      enter(other);
      write_all(node.at("else_"), other);
      line("}");
    }
    line("}");
  }

  /// A set block or a filter block: its text goes to a text of its own.
  void captured(const Node& node, const Frame& frame) {
    Frame inner(&frame, ++count_);
    inner.analyze(node);
    const std::string outer = out_;
    out_ = fmt::format("out_{}", inner.number());
    line("{");
    line(fmt::format("std::string {};", out_));
    enter(inner);
    write_all(node.at("body"), inner);
    const Node& filter = node.at("filter");
    const std::string text = "Value(" + out_ + ")";
    const std::string value = filter.is_null() ? text : expressions_.filtered(filter, text, inner);
    out_ = outer;
    if (is(node, "FilterBlock")) {
      line(fmt::format("{} += required_text({});", out_, value));
    } else {
      assign(node.at("target"), value, frame, false);
    }
    line("}");
  }

  void with(const Node& node, const Frame& frame) {
    Frame inner(&frame, ++count_);
    inner.analyze(node);
    line("{");
    enter(inner);
    for (std::size_t i = 0; i < node.at("targets").size(); ++i) {
      assign(node.at("targets")[i], expressions_.value(node.at("values")[i], frame), inner, true);
    }
    write_all(node.at("body"), inner);
    line("}");
  }

  void macro(const Node& node, const Frame& frame) {
    const auto name = node.at("name").string();
    line(Expressions::macro(frame.owner(name), name) + ".body = ");
    body_of_macro(node, name, frame);
    line(";");
  }

  void call_block(const Node& node, const Frame& frame) {
    const bool outside = in_loop_;
    in_loop_ = false;
    if (is(node.at("call").at("node"), "ExtensionAttribute")) {  // generation, the one extension that has one
      Frame inner(&frame, ++count_);
      inner.analyze(node);
      line("{");
      enter(inner);
      write_all(node.at("body"), inner);
      line("}");
    } else {
      const std::string caller = fmt::format("block_{}", ++count_);
      line("{");
      line(fmt::format("const Macro {}{{\"caller\", ", caller));
      body_of_macro(node, "caller", frame);
      line("};");
      line(fmt::format("{} += text_of({});", out_, expressions_.macro_call(node.at("call"), caller, frame)));
      line("}");
    }
    in_loop_ = outside;
  }

  /// The function of a macro, or of a call block.
  void body_of_macro(const Node& node, const std::string& name, const Frame& frame) {
    Frame inner(&frame, ++count_);
    inner.analyze(node);
    std::vector<std::string> parameters, taken;
    std::string names;
    for (const Node& parameter : node.at("args")) {
      parameters.push_back(parameter.at("name").string());
      names += (names.empty() ? "" : ", ") + cpp_text(parameters.back());
    }
    for (const char* const special : {"caller", "kwargs", "varargs"}) {
      const bool used = reads(node.at("body"), special);
      if (used) inner.declare_parameter(special);
      taken.push_back(used ? "true" : "false");
    }
    const std::string call = fmt::format("call_{}", inner.number());
    line("[&](const Arguments& arguments, [[maybe_unused]] const Macro* caller) -> Value {");
    line(fmt::format("[[maybe_unused]] const MacroCall {}({}, {{{}}}, arguments, caller, {{{}, {}, {}}});", call,
                     cpp_text(name), names, taken[0], taken[1], taken[2]));
    enter(inner);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      line(fmt::format("Value {} = {}.value({});", Expressions::variable(inner.number(), parameters[i]), call, i));
    }
    const Node& defaults = node.at("defaults");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::size_t without = parameters.size() - defaults.size();
      const std::string value = i >= without
                                    ? expressions_.value(defaults[i - without], inner)
                                    : fmt::format("Undefined{{std::string({})}}",
                                                  cpp_text("parameter '" + parameters[i] + "' was not provided"));
      line(fmt::format("if (!{}.has({})) {} = {};", call, i, Expressions::variable(inner.number(), parameters[i]),
                       value));
    }
    if (taken[0] == "true") {
      line(fmt::format("const Macro {} = caller_or_none(caller);", Expressions::macro(inner.number(), "caller")));
    }
    if (taken[1] == "true")
      line(fmt::format("Value {} = {}.kwargs();", Expressions::variable(inner.number(), "kwargs"), call));
    if (taken[2] == "true")
      line(fmt::format("Value {} = {}.varargs();", Expressions::variable(inner.number(), "varargs"), call));
    const std::string outer = out_;
    const bool outside = in_loop_;
    out_ = fmt::format("out_{}", inner.number());
    in_loop_ = false;
    line(fmt::format("std::string {};", out_));
    write_all(node.at("body"), inner);
    line(fmt::format("return {}; }}", out_));
    out_ = outer;
    in_loop_ = outside;
  }

  const Names& names_;
  Expressions expressions_;
  ChatBody lines_;
  std::string out_ = "out";
  bool in_loop_ = false;
  int count_ = 0, depth_ = 0;
};

}  // namespace
}  // namespace chat

std::string cpp_text(const std::string& text) { return cpp_literal(text) + "sv"; }

std::string cpp_literal(const std::string& text) {
  std::string literal = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n') {
      literal += i + 1 < text.size() ? "\\n\"\n\"" : "\\n";
    } else if (c == '"' || c == '\\' || (c == '?' && i > 0 && text[i - 1] == '?')) {  // "??/" is a trigraph to some
      literal += std::string("\\") + static_cast<char>(c);
    } else if (c < 0x20 || c >= 0x7F) {
      literal += fmt::format("\\{:03o}", c);
    } else {
      literal += static_cast<char>(c);
    }
  }
  return literal + '"';
}

std::variant<ChatBody, ChatRefusal> compile_chat_tree(const std::string& text) {
  try {
    const chat::Node parsed = chat::Node::parse(text);
    if (!parsed.contains("tree")) {
      return ChatRefusal{static_cast<int>(parsed.at("line").integer()), parsed.at("error").string()};
    }
    const chat::Node& tree = parsed.at("tree");
    const chat::Names names = chat::survey_names(tree);
    return chat::Statements(names).function(tree);
  } catch (const ChatRefusal& refusal) {
    return refusal;
  } catch (const JsonError& error) {
    return ChatRefusal{1, std::string("its text is none of Unicode's: ") + error.what()};
  }
}

}  // namespace monomorph::generator
