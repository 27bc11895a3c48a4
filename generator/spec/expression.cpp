#include "generator/spec/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "generator/spec/expression_node.hpp"

namespace monomorph::generator {
namespace {

using Form = ExpressionNode::Form;
using Pointer = ExpressionNode::Pointer;

constexpr int max_depth = 100;  // of parentheses; what nests deeper or is longer was not written by hand
constexpr std::size_t max_length = 4096;
constexpr std::size_t max_written = 4096;  // nodes: activations of activations multiply

struct Token {
  enum class Kind { number, name, symbol, end, invalid };
  Kind kind = Kind::end;
  std::string text;
  std::size_t begin = 0;
};

Token next_token(const std::string& text, std::size_t begin) {
  while (begin < text.size() &&
         (text[begin] == ' ' || text[begin] == '\t' || text[begin] == '\n' || text[begin] == '\r')) {
    ++begin;
  }
  const auto take = [&](Token::Kind kind, std::size_t end) {
    return Token{kind, text.substr(begin, end - begin), begin};
  };
  if (begin == text.size()) return take(Token::Kind::end, begin);
  const auto is = [&](std::size_t at, auto test) {
    return at < text.size() && test(static_cast<unsigned char>(text[at])) != 0;
  };
  const auto digit = [](int c) { return c >= '0' && c <= '9'; };
  const auto word = [](int c) { return std::isalnum(c) != 0 || c == '_'; };
  std::size_t end = begin;
  if (is(begin, digit) || (text[begin] == '.' && is(begin + 1, digit))) {
    while (is(end, digit)) ++end;
    if (end < text.size() && text[end] == '.') ++end;
    while (is(end, digit)) ++end;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
      std::size_t exponent = end + 1;
      if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
      if (is(exponent, digit)) {
        while (is(exponent, digit)) ++exponent;
        end = exponent;
      }
    }
    // "2x" is a slip, not 2 times x.
    if (is(end, word)) return take(Token::Kind::invalid, end + 1);
    return take(Token::Kind::number, end);
  }
  if (is(begin, word)) {
    while (is(end, word)) ++end;
    return take(Token::Kind::name, end);
  }
  for (const char* symbol : {"<=", ">=", "==", "!=", "&&", "||"}) {
    if (text.compare(begin, 2, symbol) == 0) return take(Token::Kind::symbol, begin + 2);
  }
  if (text.compare(begin, 2, "**") == 0) return take(Token::Kind::invalid, begin + 2);
  const bool known = std::string("+-*/()<>?:,").find(text[begin]) != std::string::npos;
  return take(known ? Token::Kind::symbol : Token::Kind::invalid, begin + 1);
}

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
  for (const auto& [name, text] : named_activations()) names.push_back(name);
  return names;
}

class Parser {
 public:
  Parser(const std::string& text, const Span& span, const std::vector<std::string>& variables, Diagnostics& diagnostics)
      : text_(text), span_(span), variables_(variables), diagnostics_(diagnostics), token_(next_token(text, 0)) {}

  Pointer parse() {
    if (text_.size() > max_length) {
      return fail("expression.syntax", 0, text_.size(),
                  fmt::format("an expression has at most {} characters", max_length));
    }
    Pointer root = conditional(0);
    if (root != nullptr && token_.kind != Token::Kind::end) return unexpected("an operator or the end");
    if (root != nullptr && root->is_boolean)
      return fail("expression.types", 0, text_.size(), "this is true or false; a number is required");
    return failed_ ? nullptr : root;
  }

 private:
  Pointer conditional(int depth) {
    if (depth > max_depth) return fail("expression.syntax", token_.begin, 1, "this expression nests too deeply");
    const std::size_t begin = token_.begin;
    Pointer condition = binary(1, depth);
    if (condition == nullptr || !take("?")) return condition;
    if (!condition->is_boolean)
      return fail("expression.types", begin, 1, "what stands before ? is a number; a comparison is required");
    Pointer chosen = conditional(depth + 1);
    if (chosen == nullptr) return nullptr;
    if (!take(":")) return unexpected("\":\"");
    Pointer other = conditional(depth + 1);
    if (other == nullptr) return nullptr;
    if (chosen->is_boolean || other->is_boolean) {
      return fail("expression.types", begin, 1, "both choices of a condition must be numbers");
    }
    return node(Form::conditional, false, "?", {condition, chosen, other});
  }

  Pointer binary(int level, int depth) {
    Pointer left = unary(depth);
    while (left != nullptr && token_.kind == Token::Kind::symbol && precedence(token_.text) >= level) {
      const Token op = token_;
      advance();
      Pointer right = binary(precedence(op.text) + 1, depth);
      if (right == nullptr) return nullptr;
      const bool logical = op.text == "&&" || op.text == "||";
      if (left->is_boolean != logical || right->is_boolean != logical) {
        return fail("expression.types", op.begin, op.text.size(),
                    fmt::format("{} takes {} on both sides", op.text, logical ? "comparisons" : "numbers"));
      }
      const bool compares = precedence(op.text) <= precedence("<");
      left = node(Form::binary, compares, op.text, {left, right});
    }
    return left;
  }

  Pointer unary(int depth) {
    if (depth > max_depth) return fail("expression.syntax", token_.begin, 1, "this expression nests too deeply");
    const Token token = token_;
    if (!take("-")) return primary(depth);
    Pointer operand = unary(depth + 1);
    if (operand != nullptr && operand->is_boolean) {
      return fail("expression.types", token.begin, 1, "- takes a number");
    }
    return operand == nullptr ? nullptr : node(Form::negation, false, "-", {operand});
  }

  Pointer primary(int depth) {
    const Token token = token_;
    if (token.kind == Token::Kind::number) {
      advance();
      const double value = std::strtod(token.text.c_str(), nullptr);
      if (!(value <= static_cast<double>(std::numeric_limits<float>::max()))) {
        return fail("expression.number", token.begin, token.text.size(),
                    token.text + " is beyond the range of f32, in which kernels compute");
      }
      auto number = std::make_shared<ExpressionNode>();
      number->value = value;
      return number;
    }
    if (token.kind == Token::Kind::name) {
      advance();
      return take("(") ? call(token, depth) : name(token);
    }
    if (take("(")) {
      Pointer inner = conditional(depth + 1);
      if (inner != nullptr && !take(")")) return unexpected("\")\"");
      return inner;
    }
    return unexpected("a number, a name or \"(\"");
  }

  Pointer name(const Token& token) {
    const bool known = std::find(variables_.begin(), variables_.end(), token.text) != variables_.end();
    const std::vector<std::string> callables = callable_names();
    if (!known && std::find(callables.begin(), callables.end(), token.text) != callables.end()) {
      fail("expression.unknown_name", token.begin, token.text.size(),
           fmt::format("{0} is a function: {0}({1})", token.text, variables_.front()));
    } else if (!known) {
      const std::string suggestion = nearest(token.text, variables_);
      fail("expression.unknown_name", token.begin, token.text.size(),
           fmt::format("{} is not known here; the names are {}{}", token.text, fmt::join(variables_, ", "),
                       suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
    }
    return node(Form::name, false, token.text, {});
  }

  Pointer call(const Token& token, int depth) {
    std::vector<Pointer> arguments;
    if (!take(")")) {
      do {
        Pointer argument = conditional(depth + 1);
        if (argument == nullptr) return nullptr;
        if (argument->is_boolean) {
          fail("expression.types", token.begin, token.text.size(), token.text + " takes numbers, not comparisons");
        }
        arguments.push_back(std::move(argument));
      } while (take(","));
      if (!take(")")) return unexpected("\",\" or \")\"");
    }
    const ExpressionFunction* function = find_function(token.text);
    const auto activation = named_activations().find(token.text);
    const bool is_activation = activation != named_activations().end();
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
    } else if (is_activation) {
      const std::vector<std::string> variables = {"x"};
      return with_argument(Parser(activation->second, {}, variables, diagnostics_).parse(), arguments.front(), token);
    }
    return node(Form::call, false, token.text, std::move(arguments));
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
    Pointer result = node(of_x->form, of_x->is_boolean, of_x->word, std::move(operands));
    if (result->written <= max_written) return result;
    return fail("expression.syntax", token.begin, token.text.size(),
                "this expression is too long once its activations are written out");
  }

  static Pointer node(Form form, bool is_boolean, std::string word, std::vector<Pointer> operands) {
    auto result = std::make_shared<ExpressionNode>();
    result->form = form;
    result->is_boolean = is_boolean;
    result->word = std::move(word);
    for (const Pointer& operand : operands) result->written += operand->written;
    result->operands = std::move(operands);
    return result;
  }

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
  const std::vector<std::string>& variables_;
  Diagnostics& diagnostics_;
  Token token_;
  bool failed_ = false;
};

}  // namespace

std::optional<Expression> parse_expression(const std::string& text, const Span& span,
                                           const std::vector<std::string>& variables, Diagnostics& diagnostics) {
  Pointer root = Parser(text, span, variables, diagnostics).parse();
  if (root == nullptr) return std::nullopt;
  return Expression{std::move(root), text};
}

std::string rename_in_expression(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  std::size_t copied = 0;
  for (Token token = next_token(text, 0); token.kind != Token::Kind::end;
       token = next_token(text, token.begin + token.text.size())) {
    result += text.substr(copied, token.begin - copied);
    result += token.kind == Token::Kind::name && token.text == from ? to : token.text;
    copied = token.begin + token.text.size();
  }
  return result + text.substr(copied);
}

int precedence(const std::string& op) {
  static const std::map<std::string, int> table = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {"<=", 4},
                                                   {">", 4},  {">=", 4}, {"+", 5},  {"-", 5},  {"*", 6}, {"/", 6}};
  const auto found = table.find(op);
  return found == table.end() ? 0 : found->second;
}

const std::map<std::string, std::string>& named_activations() {
  // The tanh form of GELU is 0.5 x (1 + tanh u) = x sigmoid(2u), u = sqrt(2 / pi) (x + 0.044715 x^3), which cannot
  // overflow; sigmoid is monotone and exact at both ends.
  static const std::string gelu_tanh = "x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))";
  static const std::map<std::string, std::string> table = {
      {"gelu", "0.5 * x * (1 + erf(0.7071067811865476 * x))"},
      {"gelu_new", gelu_tanh},
      {"gelu_pytorch_tanh", gelu_tanh},
      {"quick_gelu", "x * sigmoid(1.702 * x)"},
      {"relu", "max(x, 0)"},
      {"relu2", "max(x, 0) * max(x, 0)"},
      {"silu", "x * sigmoid(x)"},
  };
  return table;
}

std::set<std::string> names_in(const Expression& expression) {
  std::set<std::string> names;
  std::vector<const ExpressionNode*> open = {expression.root.get()};
  while (!open.empty()) {
    const ExpressionNode* node = open.back();
    open.pop_back();
    if (node == nullptr) continue;
    if (node->form == Form::name) names.insert(node->word);
    for (const Pointer& operand : node->operands) open.push_back(operand.get());
  }
  return names;
}

bool equal(const Expression& a, const Expression& b) {
  const std::function<bool(const Pointer&, const Pointer&)> same = [&](const Pointer& x, const Pointer& y) {
    if (x == nullptr || y == nullptr) return x == y;
    return x->form == y->form && x->word == y->word && x->value == y->value &&
           std::equal(x->operands.begin(), x->operands.end(), y->operands.begin(), y->operands.end(), same);
  };
  return same(a.root, b.root);
}

}  // namespace monomorph::generator
