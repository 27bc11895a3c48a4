#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "generator/expression/make.hpp"
#include "generator/expression/tokens.hpp"

namespace monomorph::generator {
namespace {

using Form = ExpressionNode::Form;
using Pointer = ExpressionNode::Pointer;

constexpr int max_depth = 100;  // of parentheses; what nests deeper or is longer was not written by hand
constexpr std::size_t max_length = 4096;
constexpr std::size_t max_written = 4096;  // nodes: activations of activations multiply

/// The place of `length` bytes of the expression. Only a string on one line and without escapes shows where they stand.
Span inside(const Span& span, const std::string& text, std::size_t begin, std::size_t length) {
  if (span.source == nullptr || span.line < 1) return span;
  const bool plain = static_cast<std::size_t>(span.length) == text.size() + 2 && text.find('\n') == std::string::npos;
  if (!plain) return span;
  Span result = span;
  result.column = span.column + 1 + static_cast<int>(begin);
  result.length = std::max(1, static_cast<int>(length));
  return result;
}

/// What can be called, for messages.
std::vector<std::string> callable_names() {
  std::vector<std::string> names = function_names();
  for (const auto& [name, text] : named_activations()) {
    if (find_function(name) == nullptr) names.push_back(name);
  }
  return names;
}

/// What an expression of a type is, for messages.
const char* described(Type type) {
  switch (type) {
    case Type::real:
      return "a number";
    case Type::integer:
      return "a whole number";
    case Type::boolean:
      return "a comparison";
    case Type::word:
      return "a word";
    case Type::words:
      return "a list of words";
    case Type::sizes:
    case Type::numbers:
      return "a list of numbers";
    case Type::null:
      return "null";
  }
  return "";
}

class Parser {
 public:
  Parser(const std::string& text, const Span& span, const ExpressionNames& names, Diagnostics& diagnostics,
         Vocabulary vocabulary = Vocabulary::elements)
      : text_(text),
        span_(span),
        names_(names),
        diagnostics_(diagnostics),
        of_values_(vocabulary == Vocabulary::values),
        token_(next_token(text, 0)) {}

  Pointer parse(Type wanted) {
    if (text_.size() > max_length) {
      return fail("expression.syntax", 0, text_.size(),
                  fmt::format("an expression has at most {} characters", max_length));
    }
    Pointer root = conditional(0);
    if (root == nullptr) return nullptr;
    if (token_.kind != Token::Kind::end) return unexpected("an operator or the end");
    if (wanted == Type::real && is_number(root)) root = widened(root);
    const bool any = of_values_ && (wanted == Type::null || root->type == Type::null);
    const bool widens = root->optional && wanted == Type::real && root->type == Type::integer;
    if (root->type != wanted && !any && !widens) {
      return fail("expression.types", 0, text_.size(),
                  fmt::format("this is {}; {} is required", described(root->type), described(wanted)));
    }
    if (!failed_ && !of_values_) refuse_constants(*root);
    return failed_ ? nullptr : root;
  }

 private:
  Pointer conditional(int depth) {
    if (depth > max_depth) return fail("expression.syntax", token_.begin, 1, "this expression nests too deeply");
    const std::size_t begin = token_.begin;
    Pointer condition = binary(1, depth);
    const ExpressionPlace place = place_of(token_);
    if (condition == nullptr || !take("?")) return condition;
    if (!is_condition(condition)) {
      return fail("expression.types", begin, 1,
                  fmt::format("what stands before ? is {}; a comparison is required", what(condition)));
    }
    Pointer chosen = conditional(depth + 1);
    if (chosen == nullptr) return nullptr;
    if (!take(":")) return unexpected("\":\"");
    Pointer other = conditional(depth + 1);
    if (other == nullptr) return nullptr;
    std::vector<Pointer> choices = {chosen, other};
    const std::optional<Type> type = united(choices);
    if (!type) {
      return fail("expression.types", begin, 1, "both choices of a condition must be numbers, or both comparisons");
    }
    return make_node(Form::conditional, *type, "?", {condition, choices[0], choices[1]}, place,
                     chosen->optional || other->optional);
  }

  Pointer binary(int level, int depth) {
    Pointer left = unary(depth);
    while (left != nullptr && is_operator(token_) && precedence(token_.text) >= level) {
      if (token_.text == "??" && !of_values_) return unexpected("an operator or the end");
      const Token op = token_;
      advance();
      if (op.text == "in" && take("[")) {
        left = one_of(op, left, depth);
        continue;
      }
      Pointer right = binary(precedence(op.text) + 1, depth);
      if (right == nullptr) return nullptr;
      left = combined(op, {left, right});
    }
    return left;
  }

  bool is_operator(const Token& token) const {
    return token.kind == Token::Kind::symbol || (of_values_ && token.kind == Token::Kind::name && token.text == "in");
  }

  /// a in [b, c] is a == b || a == c.
  Pointer one_of(const Token& op, const Pointer& value, int depth) {
    Pointer any;
    do {
      const Pointer item = conditional(depth + 1);
      if (item == nullptr) return nullptr;
      std::vector<Pointer> sides = {value, item};
      if (!united(sides)) return not_in(op);
      Pointer equal = make_node(Form::binary, Type::boolean, "==", std::move(sides), place_of(op));
      any = any == nullptr ? equal : make_node(Form::binary, Type::boolean, "||", {any, equal}, place_of(op));
    } while (take(","));
    return take("]") ? any : unexpected("\",\" or \"]\"");
  }

  Pointer not_in(const Token& op) {
    return fail("expression.types", op.begin, op.text.size(), "in takes a value, and a list of values of its type");
  }

  Pointer combined(const Token& op, std::vector<Pointer> sides) {
    const auto takes = [&](const char* what) {
      return fail("expression.types", op.begin, op.text.size(),
                  fmt::format("{} takes {} on both sides", op.text, what));
    };
    if (op.text == "&&" || op.text == "||") {
      if (!is_condition(sides[0]) || !is_condition(sides[1])) return takes("comparisons");
      return make_node(Form::binary, Type::boolean, op.text, std::move(sides), place_of(op));
    }
    if (op.text == "in") {
      const std::optional<Type> element = element_of(sides[1]->type);
      const bool fits = element && (sides[0]->type == *element || (is_numeric(sides[0]->type) && is_numeric(*element)));
      return fits ? make_node(Form::binary, Type::boolean, op.text, std::move(sides), place_of(op)) : not_in(op);
    }
    const bool equality = op.text == "==" || op.text == "!=";
    if (of_values_ && (op.text == "??" || equality)) {
      const std::optional<Type> type = united(sides);
      if (!type) return takes("values of one type");
      const bool optional = !equality && sides[1]->optional;
      return make_node(Form::binary, equality ? Type::boolean : *type, op.text, std::move(sides), place_of(op),
                       optional);
    }
    if (!is_number(sides[0]) || !is_number(sides[1])) return takes("numbers");
    Type type = unite(sides);
    if (op.text == "%") {
      if (type != Type::integer) return takes("whole numbers");
      if (sides[1]->form == Form::number && sides[1]->value == 0) {
        return fail("expression.number", op.begin, 1, "% 0 is not defined");
      }
    }
    if (op.text == "/") {
      sides = {widened(sides[0]), widened(sides[1])};
      type = Type::real;
    }
    if (precedence(op.text) <= precedence("<")) type = Type::boolean;
    return make_node(Form::binary, type, op.text, std::move(sides), place_of(op));
  }

  Pointer unary(int depth) {
    if (depth > max_depth) return fail("expression.syntax", token_.begin, 1, "this expression nests too deeply");
    const Token token = token_;
    const bool minus = take("-");
    if (!minus && !take("!")) return primary(depth);
    Pointer operand = unary(depth + 1);
    if (operand == nullptr) return nullptr;
    if (minus ? !is_number(operand) : !is_condition(operand)) {
      return fail("expression.types", token.begin, 1, minus ? "- takes a number" : "! takes a comparison");
    }
    return make_node(minus ? Form::negation : Form::inversion, operand->type, token.text, {operand}, place_of(token));
  }

  Pointer primary(int depth) {
    const Token token = token_;
    if (token.kind == Token::Kind::number) {
      advance();
      const double value = std::strtod(token.text.c_str(), nullptr);
      const bool vanishes = value != 0 && static_cast<float>(value) == 0;
      if (vanishes || !(value <= static_cast<double>(std::numeric_limits<float>::max()))) {
        return fail("expression.number", token.begin, token.text.size(),
                    token.text + " is beyond the range of f32, in which kernels compute");
      }
      const bool whole = token.text.find_first_of(".eE") == std::string::npos;
      return number(whole ? Type::integer : Type::real, value, place_of(token));
    }
    if (token.kind == Token::Kind::word && of_values_) {
      advance();
      return make_node(Form::word, Type::word, token.text.substr(1, token.text.size() - 2), {}, place_of(token));
    }
    if (token.kind == Token::Kind::name) {
      advance();
      if (take("(")) return call(token, depth);
      Pointer named = name(token);
      return element_of(named->type) && take("[") ? index(named, depth) : named;
    }
    if (take("(")) {
      Pointer inner = conditional(depth + 1);
      if (inner != nullptr && !take(")")) return unexpected("\")\"");
      return inner;
    }
    return unexpected("a number, a name or \"(\"");
  }

  Pointer index(const Pointer& list, int depth) {
    const std::size_t begin = token_.begin;
    Pointer at = conditional(depth + 1);
    if (at == nullptr) return nullptr;
    if (!take("]")) return unexpected("\"]\"");
    if (!is_number(at) || at->type != Type::integer) {
      return fail("expression.types", begin, 1, fmt::format("an index is a whole number; this is {}", what(at)));
    }
    return make_node(Form::index, *element_of(list->type), "", {list, at}, list->place, true);  // null past the end
  }

  Pointer name(const Token& token) {
    if (of_values_ && token.text == "null")
      return make_node(Form::name, Type::null, token.text, {}, place_of(token), true);
    if (of_values_ && (token.text == "true" || token.text == "false")) {
      return make_node(Form::name, Type::boolean, token.text, {}, place_of(token));
    }
    const auto known = names_.find(token.text);
    if (known != names_.end()) {
      const auto& [type, constant, optional] = known->second;
      return constant ? number(type, *constant, place_of(token))
                      : make_node(Form::name, type, token.text, {}, place_of(token), optional);
    }
    std::vector<std::string> all, constants;
    for (const auto& [name, is] : names_) (is.constant ? constants : all).push_back(name);
    const std::vector<std::string> callables = callable_names();
    if (std::find(callables.begin(), callables.end(), token.text) != callables.end()) {
      const std::string& argument = all.empty() ? constants.front() : all.front();
      fail("expression.unknown_name", token.begin, token.text.size(),
           fmt::format("{0} is a function: {0}({1})", token.text, argument));
    } else {
      all.insert(all.end(), constants.begin(), constants.end());
      const std::string suggestion = nearest(token.text, all);
      fail("expression.unknown_name", token.begin, token.text.size(),
           fmt::format("{} is not known here; the names are {}{}", token.text, fmt::join(all, ", "),
                       suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
    }
    return unknown();
  }

  /// In place of what is wrong, so that the rest is read too.
  static Pointer unknown() { return number(Type::real, 0); }

  Pointer call(const Token& token, int depth) {
    std::vector<Pointer> arguments;
    if (!take(")")) {
      do {
        Pointer argument = conditional(depth + 1);
        if (argument == nullptr) return nullptr;
        if (!is_number(argument)) {
          fail("expression.types", token.begin, token.text.size(),
               fmt::format("{} takes numbers, not {}", token.text,
                           is_condition(argument) ? "comparisons" : what(argument)));
        }
        arguments.push_back(std::move(argument));
      } while (take(","));
      if (!take(")")) return unexpected("\",\" or \")\"");
    }
    const ExpressionFunction* function = find_function(token.text);
    if (function != nullptr && function->glsl == nullptr && !of_values_) function = nullptr;
    const auto activation = named_activations().find(token.text);
    // Sigmoid and tanh are both: the activation's text calls the function.
    const bool is_activation = function == nullptr && activation != named_activations().end();
    const std::size_t arity = function != nullptr ? function->arity : 1;
    if (function == nullptr && !is_activation) {
      const std::string suggestion = nearest(token.text, callable_names());
      fail("expression.unknown_function", token.begin, token.text.size(),
           fmt::format("there is no function {}; the functions are {}{}", token.text, fmt::join(callable_names(), ", "),
                       suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
    } else if (arity != arguments.size()) {
      fail("expression.arguments", token.begin, token.text.size(),
           fmt::format("{} takes {} argument{}, and {} {} given", token.text, arity, arity == 1 ? "" : "s",
                       arguments.size(), arguments.size() == 1 ? "is" : "are"));
    }
    if (failed_) return unknown();
    if (is_activation) {
      return with_argument(Parser(activation->second, {}, variables({"x"}), diagnostics_).parse(Type::real),
                           widened(arguments.front()), token);
    }
    if (function->whole_cpp == nullptr) std::transform(arguments.begin(), arguments.end(), arguments.begin(), widened);
    const Type type = function->glsl == nullptr ? Type::integer : unite(arguments);
    return make_node(Form::call, type, token.text, std::move(arguments), place_of(token));
  }

  /// An activation's expression of x with `argument` for x.
  Pointer with_argument(const Pointer& of_x, const Pointer& argument, const Token& token) {
    if (of_x->form == Form::name) return argument;
    std::vector<Pointer> operands;
    for (const Pointer& operand : of_x->operands) {
      operands.push_back(with_argument(operand, argument, token));
      if (operands.back() == nullptr) return nullptr;
    }
    if (operands.empty()) return of_x;
    Pointer result = make_node(of_x->form, of_x->type, of_x->word, std::move(operands), place_of(token));
    if (result->written <= max_written) return result;
    return fail("expression.syntax", token.begin, token.text.size(),
                "this expression is too long once its activations are written out");
  }

  static std::string what(const Pointer& node) {
    return std::string(described(node->type)) + (node->optional && node->type != Type::null ? " or null" : "");
  }

  void refuse_constants(const ExpressionNode& root) {
    for (const ConstantFault& fault : constant_faults(root)) {
      fail("expression.number", fault.place.begin, fault.place.length, fault.message);
    }
  }

  static ExpressionPlace place_of(const Token& token) { return {token.begin, token.text.size()}; }

  void advance() { token_ = next_token(text_, token_.begin + token_.text.size()); }

  bool take(const std::string& symbol) {
    if (token_.kind != Token::Kind::symbol || token_.text != symbol) return false;
    advance();
    return true;
  }

  Pointer unexpected(const std::string& wanted) {
    if (token_.text == "**" || token_.text == "^") {
      return fail("expression.syntax", token_.begin, token_.text.size(),
                  fmt::format("there is no operator {}; a power is a function: pow(x, 2)", token_.text));
    }
    return fail("expression.syntax", token_.begin, token_.text.size(),
                token_.kind == Token::Kind::end
                    ? fmt::format("the expression ends where {} is required", wanted)
                    : fmt::format("\"{}\" stands where {} is required", token_.text, wanted));
  }

  Pointer fail(const char* rule, std::size_t begin, std::size_t length, const std::string& message) {
    diagnostics_.error(rule, inside(span_, text_, begin, length), message);
    failed_ = true;
    return nullptr;
  }

  const std::string& text_;
  const Span& span_;
  const ExpressionNames& names_;
  Diagnostics& diagnostics_;
  const bool of_values_;
  Token token_;
  bool failed_ = false;
};

}  // namespace

ExpressionNames variables(const std::vector<std::string>& names) {
  ExpressionNames result;
  for (const std::string& name : names) result.insert({name, {}});
  return result;
}

std::optional<Expression> parse_expression(const std::string& text, const Span& span, const ExpressionNames& names,
                                           Type wanted, Diagnostics& diagnostics, Vocabulary vocabulary) {
  Pointer root = Parser(text, span, names, diagnostics, vocabulary).parse(wanted);
  if (root == nullptr) return std::nullopt;
  return Expression{std::move(root), text};
}

}  // namespace monomorph::generator
